#include "tests/report/said_report.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

namespace scalestudy::test {

std::optional<double> number(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string text_of(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  std::ostringstream text;
  if (value.is_number()) {
    text << value.get<double>();
  }
  return value.is_number() ? text.str() : value.dump();
}

bool Said::has_name(const std::string& name) const {
  static const std::regex devices("([0-9]+) devices?");
  static const std::regex setting("(knob)[= ]([^ ,]+)");
  bool is_any = false;
  for (auto i = std::sregex_iterator(name.begin(), name.end(), devices);
       i != std::sregex_iterator();
       ++i) {
    is_any = true;
    if (!axes.contains("devices") || text_of(axes["devices"]) != (*i)[1]) {
      return false;
    }
  }
  for (auto i = std::sregex_iterator(name.begin(), name.end(), setting);
       i != std::sregex_iterator();
       ++i) {
    is_any = true;
    if (!axes.contains((*i)[1]) || text_of(axes[(*i)[1].str()]) != (*i)[2]) {
      return false;
    }
  }
  return is_any;
}

SaidReport::SaidReport(const std::map<std::string, std::string>& all_files) : files(all_files) {
  json = Json::parse(files.at("results.json"));
  for (const Json& row : json.at("comparisons")) {
    Said said;
    said.quantity = row.at("quantity");
    said.cell = row.at("cell");
    said.verdict = row.at("verdict");
    said.axes = row.at("axes");
    const double value = number(row.at("value")).value_or(1.0);
    said.ratio = said.quantity.find("overhead") == std::string::npos ? value : 1.0 - value;
    said.p = number(row.at("p_value"));
    said.p_adjusted = number(row.at("p_adjusted"));
    said.alpha_star = row.contains("alpha_star") ? number(row.at("alpha_star")) : std::nullopt;
    said.alpha = 1.0 - row.at("confidence").get<double>();
    if (said.alpha_star) {
      const double left = row.at("family_size").get<double>() - row.at("rejected").get<double>();
      expect(std::abs(*said.alpha_star * std::max(left, 1.0) - said.alpha) < 1e-12,
             "alpha_star of " + said.place() + " is not alpha / (family_size - rejected)");
    }
    rows.push_back(said);
  }
  for (const auto& [path, text] : files) {
    if (path.ends_with(".md")) {
      page += text + "\n";
    }
  }
}

void SaidReport::expect(bool holds, const std::string& otherwise) {
  if (!holds && std::ranges::find(found, otherwise) == found.end()) {
    found.push_back(otherwise);
  }
}

std::vector<std::pair<double, const Said*>> SaidReport::curve(const std::string& quantity,
                                                              const std::string& label,
                                                              const std::string& along) const {
  std::vector<std::pair<double, const Said*>> values;
  for (const Said& row : rows) {
    const Json x = row.axes.contains(along) ? row.axes.at(along) : Json();
    if (row.quantity == quantity && x.is_number() && row.p &&
        (label.empty() || row.has_name(label))) {
      values.emplace_back(x.get<double>(), &row);
    }
  }
  std::ranges::sort(values);
  return values;
}

}  // namespace scalestudy::test

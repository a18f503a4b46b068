#include "tests/gpu/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace scalestudy::test {
namespace {

using nlohmann::json;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::optional<double> optional_number(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number() || !std::isfinite(found->get<double>())) {
    return std::nullopt;
  }
  return found->get<double>();
}

bool matches(const Band& band, const Line& line) {
  if (band.section != line.section) {
    return false;
  }
  return band.name.ends_with('*') ? line.name.starts_with(band.name.substr(0, band.name.size() - 1))
                                  : line.name == band.name;
}

std::string describe(const Band& band) {
  if (band.least && band.most) {
    return number(*band.least) + " to " + number(*band.most);
  }
  return band.least ? "at least " + number(*band.least)
                    : (band.most ? "at most " + number(*band.most) : "");
}

// Written so that NaN, which parsing leaves out, could not pass either.
std::string fault(const Line& line, const Band& band) {
  if (!line.value) {
    return "not measured";
  }
  if ((band.least && !(*line.value >= *band.least)) ||
      (band.most && !(*line.value <= *band.most))) {
    return "outside of its band";
  }
  return "";
}

std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

}  // namespace

std::vector<Line> parse_lines(const std::string& section, const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string row; std::getline(stream, row);) {
    const json object = json::parse(row, nullptr, false);
    if (!object.is_object() || !object.contains("name") || !object["name"].is_string()) {
      throw std::invalid_argument(
          std::string("section ").append(section).append(" wrote no line: ").append(row));
    }
    lines.push_back(
        {section, object["name"], optional_number(object, "value"), object.value("unit", "")});
  }
  return lines;
}

std::vector<Band> parse_bands(const std::string& text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) {
    throw std::invalid_argument("the bands are not a JSON list");
  }
  std::vector<Band> bands;
  for (const json& object : list) {
    Band band{object.at("section"),
              object.at("name"),
              optional_number(object, "least"),
              optional_number(object, "most"),
              object.value("optional", false)};
    if (!band.least && !band.most) {
      throw std::invalid_argument("the band of " + band.name + " has no end");
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

std::vector<Verdict> judge(const std::vector<Line>& lines, const std::vector<Band>& bands) {
  std::vector<Verdict> verdicts;
  std::set<const Band*> used;
  for (const Line& line : lines) {
    const auto band = std::find_if(
        bands.begin(), bands.end(), [&](const Band& one) { return matches(one, line); });
    if (band == bands.end()) {
      verdicts.push_back({line, "", "no band is declared for it"});
      continue;
    }
    used.insert(&*band);
    verdicts.push_back({line, describe(*band), fault(line, *band)});
  }
  for (const Band& band : bands) {
    if (!band.is_optional && !used.contains(&band)) {
      verdicts.push_back(
          {{band.section, band.name, std::nullopt, ""}, describe(band), "not measured"});
    }
  }
  return verdicts;
}

bool has_passed(const std::vector<Verdict>& verdicts) {
  return !verdicts.empty() &&
         std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
           return verdict.reason.empty();
         });
}

std::string format_json(const std::vector<Verdict>& verdicts, const std::string& machine) {
  json lines = json::array();
  for (const Verdict& verdict : verdicts) {
    lines.push_back({{"section", verdict.line.section},
                     {"name", verdict.line.name},
                     {"value", verdict.line.value ? json(*verdict.line.value) : json()},
                     {"unit", verdict.line.unit},
                     {"band", verdict.band},
                     {"passed", verdict.reason.empty()},
                     {"reason", verdict.reason}});
  }
  return json{{"version", 1},
              {"machine", machine},
              {"passed", has_passed(verdicts)},
              {"lines", lines}}
             .dump(1) +
         "\n";
}

std::string format_markdown(const std::vector<Verdict>& verdicts, const std::string& machine) {
  const auto failed = std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return !verdict.reason.empty();
  });
  std::string page = "# This machine's GPUs\n\n```\n" + machine + "```\n\n" +
                     std::to_string(verdicts.size()) + " lines, " + std::to_string(failed) +
                     " failed.\n\n| Section | Line | Value | Unit | Band | Verdict |\n"
                     "| --- | --- | ---: | --- | --- | --- |\n";
  for (const Verdict& verdict : verdicts) {
    page += "| " + cell(verdict.line.section) + " | " + cell(verdict.line.name) + " | " +
            (verdict.line.value ? number(*verdict.line.value) : "n/a") + " | " +
            cell(verdict.line.unit) + " | " + verdict.band + " | " +
            (verdict.reason.empty() ? "pass" : "FAIL: " + cell(verdict.reason)) + " |\n";
  }
  return page;
}

}  // namespace scalestudy::test

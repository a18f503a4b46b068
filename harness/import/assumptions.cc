#include "harness/import/assumptions.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/json.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// At its commas; a part without "=" belongs to the value before it ("data=ImageNet, 224 pixels").
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& part : split(text, ",")) {
    if (parts.empty() || part.find('=') != std::string::npos) {
      parts.push_back(part);
    } else {
      parts.back() += "," + part;
    }
  }
  return parts;
}

Assumption parse_one(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::vector<std::string> path = split(text.substr(0, equals), "/");
  Assumption assumption;
  assumption.text = text;
  assumption.name = path.back();
  path.pop_back();
  assumption.where = path;
  assumption.value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool names_nothing = std::ranges::find(assumption.where, "") != assumption.where.end();
  if (assumption.name.empty() || assumption.value.empty() || names_nothing) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--assume {}: write NAME=VALUE, such as model=gpt-6.7b, or "
                            "TABLE/NAME=VALUE for the figures of one table, column or row",
                            text));
  }
  return assumption;
}

bool is_about(const Assumption& assumption, const PublishedFigureRow& figure) {
  return std::ranges::all_of(assumption.where, [&](const std::string& part) {
    return part == figure.table_name || part == figure.column_name || part == figure.experiment ||
           (figure.row && part == std::to_string(*figure.row));
  });
}

}  // namespace

std::vector<Assumption> parse_assumptions(const std::vector<std::string>& texts) {
  std::vector<Assumption> assumptions;
  for (const std::string& text : texts) {
    for (const std::string& one : split_list(text)) {
      assumptions.push_back(parse_one(one));
    }
  }
  return assumptions;
}

void require_known_names(const std::vector<Assumption>& assumptions,
                         const std::vector<PublicationRow>& publications,
                         const std::set<std::string>& study_names) {
  constexpr std::string_view of_baseline = "baseline.";
  std::set<std::string> known = study_names;
  known.insert({"unit", "scaling", "place", "precision", "redop", "root"});
  known.insert({names::kDevices, names::kNodes, names::kBatchGlobal, names::kBatchPerDevice});
  for (const PublicationRow& publication : publications) {
    for (const PublishedFigureRow& figure : publication.figures) {
      for (const std::string& conditions : {figure.conditions, figure.baseline}) {
        for (const auto& condition : parse_conditions(conditions)) {
          known.insert(condition.first);
        }
      }
    }
  }
  for (const Assumption& assumption : assumptions) {
    const bool is_of_baseline = assumption.name.starts_with(of_baseline);
    const std::string name = assumption.name.substr(is_of_baseline ? of_baseline.size() : 0);
    if (!known.contains(name)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--assume {}: neither the figures nor the study have a condition "
                              "{}{}",
                              assumption.text,
                              name,
                              suggestion(name, std::vector(known.begin(), known.end()))));
    }
  }
}

std::vector<std::size_t> assume(const std::vector<Assumption>& assumptions,
                                PublicationRow& publication) {
  std::vector<std::size_t> counts(assumptions.size());
  for (PublishedFigureRow& figure : publication.figures) {
    JsonText assumed = JsonText::object();
    for (std::size_t i = 0; i < assumptions.size(); ++i) {
      if (is_about(assumptions[i], figure)) {
        assumed[assumptions[i].name] = assumptions[i].value;
        ++counts[i];
      }
    }
    figure.assumed = assumed.dump();
  }
  return counts;
}

}  // namespace scalestudy

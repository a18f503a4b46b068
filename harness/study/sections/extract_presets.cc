#include "harness/study/sections/extract_presets.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/study/matrix/command.h"

namespace scalestudy {
namespace {

YamlNode read_presets() {
  const auto path = shared_file("data/extract-presets.yaml");
  std::vector<Problem> problems;
  YamlNode presets = parse_yaml(read_file(path).value_or(""), problems);
  if (!problems.empty() || !presets.is_map()) {
    throw Error(ErrorKind::kMachine, path.string() + ": not a map of presets; install it anew");
  }
  return presets;
}

// "(pid=12) ", "(RayTrainWorker pid=12, ip=10.0.0.4) ".
constexpr std::string_view kRayNames = R"((?:\((?:[^ ()]+ )?pid=\d+(?:, ip=[^ ()]+)?\) )*)";

std::string text_of(const YamlNode& map, const std::string& key) {
  const YamlNode* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

std::string behind_ray_names(std::string regex) {
  if (regex.starts_with('^')) {
    regex.insert(1, kRayNames);
  }
  return regex;
}

// The condition that an entry of a preset is; absent for a rule.
std::optional<OutputCondition> condition_of(const YamlNode& entry) {
  for (const std::string& word : words_of<ConditionKind>()) {
    if (std::string what = text_of(entry, word); !what.empty()) {
      return OutputCondition{.kind = from_word<ConditionKind>(word).value(),
                             .what = std::move(what),
                             .regex = behind_ray_names(text_of(entry, "regex")),
                             .instead = text_of(entry, "instead")};
    }
  }
  return std::nullopt;
}

// Whether the rule counts something else than steps.
bool needs_amount(const YamlNode& entry) {
  ExtractRule rule;
  rule.metric = text_of(entry, "metric");
  rule.unit = text_of(entry, "unit");
  return stored_unit(rule).needs_amount;
}

YamlNode as_key(YamlNode at, const std::string& text) {
  at.kind = YamlNode::Kind::kScalar;
  at.text = text;
  return at;
}

}  // namespace

const YamlNode& extract_presets() {
  static const YamlNode kPresets = read_presets();
  return kPresets;
}

PresetRules preset_rules(Fields& fields, const YamlNode& node, ProblemList& problems) {
  PresetRules preset;
  fields.refuse({"metric",
                 "unit",
                 "json_path",
                 "step_path",
                 "regex",
                 "group",
                 "mllog_key",
                 "json",
                 "from",
                 "decimal",
                 "difference"},
                "cannot be combined with preset; write a rule of its own, extract is a list");
  std::vector<std::string> names;
  for (const YamlNode& key : extract_presets().keys) {
    names.push_back(key.text);
  }
  const auto name = fields.choice("preset", names);
  if (!name) {
    return preset;
  }
  const YamlNode* amount = node.find("per_step");
  bool is_used = false;
  for (const YamlNode& entry : extract_presets().find(*name)->items) {
    if (auto condition = condition_of(entry)) {
      preset.conditions.push_back(*std::move(condition));
      continue;
    }
    YamlNode& rule = preset.rules.emplace_back(entry);
    rule.line = node.line;
    rule.column = node.column;
    rule.origin = node.origin;
    if (YamlNode* regex = rule.find("regex")) {
      regex->text = behind_ray_names(regex->text);
    }
    if (amount != nullptr && needs_amount(rule)) {
      rule.keys.push_back(as_key(node, "per_step"));
      rule.items.push_back(*amount);
      is_used = true;
    }
  }
  if (amount != nullptr && !is_used) {
    problems.refuse(*amount, fmt::format("preset {} prints times: leave per_step out", *name));
  }
  return preset;
}

}  // namespace scalestudy

// command, extract.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/command_use.h"
#include "harness/study/sections/extract_presets.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

void check_placeholders(const YamlNode& argument, SectionContext& context) {
  const std::set<std::string> varied = varied_names(context.study);
  std::vector<std::string> names(varied.begin(), varied.end());
  for (const auto& [name, value] : context.study.parameters) {
    names.push_back(name);
  }
  const std::vector<std::string> given = launch_names();
  names.insert(names.end(), given.begin(), given.end());
  for (const std::string& placeholder : placeholders(argument.text)) {
    if (is_environment_parameter(placeholder)) {
      context.problems.refuse(
          argument,
          fmt::format("{{{}}}: the variable is set in the command's environment; "
                      "it cannot be put into its arguments",
                      placeholder));
    } else if (std::find(names.begin(), names.end(), placeholder) == names.end()) {
      context.problems.refuse(
          argument,
          fmt::format(
              "{{{0}}} names no parameter and no axis{1}; braces of the command's own need a "
              "space: {{ {0} }}",
              placeholder,
              means_devices(placeholder) ? "; the number of devices is {devices}"
                                         : suggestion(placeholder, names)));
    }
  }
}

void read_regex(Fields& fields, ExtractRule& rule) {
  const auto pattern = fields.text("regex");
  if (!pattern) {
    return;
  }
  const auto group = fields.text("group").value_or("");
  const ExtractPattern compiled = parse_extract_pattern(*pattern, group);
  if (!compiled.problem.empty() &&
      fields.problem("regex", fields.path("regex") + ": " + compiled.problem)) {
    return;
  }
  rule.regex = compiled.regex;
  rule.group = compiled.group;
  if (rule.regex.find(fmt::format("(?P<{}>", kRankGroup)) != std::string::npos &&
      !protocol::is_time_metric(rule.metric)) {
    fields.problem("regex",
                   fmt::format("{}: a group named {} is for times, of which the longest of all "
                               "ranks is the step's; {} is none",
                               fields.path("regex"),
                               kRankGroup,
                               rule.metric));
  }
}

void read_metric(Fields& fields, ExtractRule& rule) {
  if (!fields.require("metric")) {
    return;
  }
  rule.metric = fields.text("metric").value_or("");
  if (!rule.metric.empty() && !re2::RE2::FullMatch(rule.metric, "[a-z][a-z0-9_]{0,63}")) {
    fields.problem("metric",
                   fmt::format("{} is \"{}\"; lower-case letters, digits and _ are allowed, "
                               "a letter first, e.g. step_time_s",
                               fields.path("metric"),
                               rule.metric));
  }
}

// A rate that follows from the batch and the step time would stand in the place of a printed one.
void refuse_derived(Fields& fields, const Study& study, const std::string& metric) {
  const std::set<std::string> varied = varied_names(study);
  const auto is_given = [&](const char* name) {
    return varied.contains(name) || study.parameters.contains(name);
  };
  if ((metric == names::kThroughput || metric == names::kThroughputPerDevice) &&
      (is_given(names::kBatchGlobal) || is_given(names::kBatchPerDevice))) {
    fields.problem(
        "metric",
        fmt::format("{0} is {1}, which follows from the batch and step_time_s here: yours would "
                    "not be seen. Call it printed_{1} (analysis.metrics compares it), or let the "
                    "step time follow from it: metric: step_time_s, unit: samples/s, per_step: "
                    "\"{{batch_global}}\"",
                    fields.path("metric"),
                    metric));
  }
}

// What the name of a member says it is: "samples_per_second" is no time, whatever the rule says.
bool is_named_as_rate(const std::string& path) {
  return re2::RE2::FullMatch(path, "(?i).*(per_?s|per_?sec|per_?second|/s|tps|throughput)");
}

void read_unit(Fields& fields, ExtractRule& rule) {
  if (!fields.require("unit")) {
    return;
  }
  rule.unit = fields.text("unit").value_or("");
  const StoredUnit stored = stored_unit(rule);
  if (!rule.unit.empty() && stored.unit.empty() && !protocol::is_time_metric(rule.metric)) {
    const char* rate = rule.metric.ends_with("_s") ? "/s" : "";
    fields.problem(
        "unit",
        fmt::format("{0} is \"{1}\"; {2} is in bytes{3} by its name: write the unit that "
                    "the program prints it in, such as bytes{3}, kB{3} or MiB{3}",
                    fields.path("unit"),
                    rule.unit,
                    rule.metric,
                    rate));
  } else if (!rule.unit.empty() && stored.unit.empty()) {
    fields.problem(
        "unit",
        fmt::format(
            "{} is \"{}\"; {} is a time: write the unit that the program prints it in, one of "
            "us, ms, s, min, h, d, or a rate like it/s or samples/s (it is stored in s)",
            fields.path("unit"),
            rule.unit,
            rule.metric));
  }
  const std::string& member = rule.json_path.empty() ? rule.mllog_key : rule.json_path;
  if (protocol::is_time_metric(rule.metric) && !stored.is_rate && is_named_as_rate(member)) {
    fields.problem("unit",
                   fmt::format("{} is \"{}\", but {} is a rate by its name; write the rate, e.g. "
                               "unit: samples/s and how many samples a step has: per_step: 512",
                               fields.path("unit"),
                               rule.unit,
                               member));
  }
}

void read_step_amount(Fields& fields, SectionContext& context, ExtractRule& rule) {
  const bool is_ratio =
      protocol::is_time_metric(rule.metric) && rule.unit.find('/') != std::string::npos;
  if (!is_ratio) {
    fields.refuse({"per_step"},
                  "belongs to a time that is printed as a rate, like unit: samples/s");
    return;
  }
  if (!fields.has("per_step")) {
    if (stored_unit(rule).needs_amount) {
      fields.problem(
          "unit",
          fmt::format("{} is {}: add how many there are in a step, e.g. per_step: 512 or "
                      "per_step: \"{{batch_global}}\"",
                      fields.path("unit"),
                      rule.unit));
    }
    return;
  }
  rule.per_step = fields.text("per_step").value_or("");
  const StepAmount amount = parse_step_amount(rule.per_step);
  if (!amount.problem.empty()) {
    fields.problem("per_step", fields.path("per_step") + ": " + amount.problem);
  }
  check_placeholders(*fields.find("per_step"), context);
}

void read_pattern(Fields& fields,
                  const std::string& name,
                  ProblemList& problems,
                  ExtractRule& rule) {
  if (!fields.has("regex")) {
    fields.refuse({"group"}, "belongs to regex");
  }
  if (rule.from == ExtractSource::kWallTime) {
    fields.refuse({"json_path", "regex", "mllog_key", "per_step", "difference"},
                  "reads output, which from: wall_time does not");
    return;
  }
  const bool has_regex = fields.has("regex");
  const bool has_json = fields.has("json_path") || fields.has("mllog_key");
  if (has_regex == has_json) {
    problems.refuse(fields.node(),
                    name +
                        ": exactly one of json_path, regex, mllog_key is required "
                        "(json_path may also stand beside mllog_key)");
  }
  rule.json_path = fields.text("json_path").value_or("");
  rule.mllog_key = fields.text("mllog_key").value_or("");
  read_regex(fields, rule);
  rule.is_difference = fields.choice("difference", {"true", "false"}).value_or("false") == "true";
}

ExtractRule read_extract_rule(const YamlNode& node,
                              const std::string& name,
                              SectionContext& context) {
  Fields fields = section_fields(node, name, context.problems);
  ExtractRule rule;
  if (!fields.is_map()) {
    return rule;
  }
  read_metric(fields, rule);
  refuse_derived(fields, context.study, rule.metric);
  rule.from = fields.word<ExtractSource>("from").value_or(ExtractSource::kOutput);
  read_pattern(fields, name, context.problems, rule);
  if (rule.from == ExtractSource::kWallTime && !fields.has("unit")) {
    rule.unit = "s";
    return rule;
  }
  read_unit(fields, rule);
  read_step_amount(fields, context, rule);
  return rule;
}

// The rules of a preset as if they stood at `node`, whose amount of a step those that count
// something else than steps take; none with a problem told.
std::vector<YamlNode> preset_rules(Fields& fields, const YamlNode& node, ProblemList& problems) {
  std::vector<YamlNode> rules;
  fields.refuse(
      {"metric", "unit", "json_path", "regex", "group", "mllog_key", "from", "difference"},
      "does not go with preset; write a rule of its own, extract is a list");
  std::vector<std::string> names;
  for (const YamlNode& key : extract_presets().keys) {
    names.push_back(key.text);
  }
  const auto name = fields.choice("preset", names);
  if (!name) {
    return rules;
  }
  rules = extract_presets().find(*name)->items;
  const YamlNode* amount = node.find("per_step");
  bool is_used = false;
  for (YamlNode& rule : rules) {
    rule.line = node.line;
    rule.column = node.column;
    rule.origin = node.origin;
    const YamlNode* unit = rule.find("unit");
    const YamlNode* metric = rule.find("metric");
    if (amount != nullptr && unit != nullptr && metric != nullptr &&
        stored_unit({.metric = metric->text, .unit = unit->text}).needs_amount) {
      YamlNode key = node;
      key.kind = YamlNode::Kind::kScalar;
      key.text = "per_step";
      rule.keys.push_back(key);
      rule.items.push_back(*amount);
      is_used = true;
    }
  }
  if (amount != nullptr && !is_used) {
    problems.refuse(*amount, fmt::format("preset {} prints times: leave per_step out", *name));
  }
  return rules;
}

void add_rule(const ExtractRule& rule, const YamlNode& at, SectionContext& context) {
  for (const ExtractRule& other : context.study.extract) {
    if (other.metric == rule.metric && stored_unit(other).unit != stored_unit(rule).unit) {
      context.problems.refuse(
          at, fmt::format("two extract rules give the metric {} in different units", rule.metric));
    }
  }
  context.study.extract.push_back(rule);
}

void read_extract_item(const YamlNode& item, const std::string& name, SectionContext& context) {
  if (item.find("preset") == nullptr) {
    add_rule(read_extract_rule(item, name, context), item, context);
    return;
  }
  Fields fields = section_fields(item, name, context.problems);
  for (const YamlNode& rule : preset_rules(fields, item, context.problems)) {
    add_rule(read_extract_rule(rule, name, context), item, context);
  }
}

// A list of rules and presets, or one preset.
void read_extract(Fields& root, SectionContext& context) {
  const std::size_t problems_before = context.problems.size();
  const YamlNode* node = root.find("extract");
  if (node != nullptr && node->is_map() && node->find("preset") != nullptr) {
    read_extract_item(*node, "extract[0]", context);
  } else if (const YamlNode* list = root.list("extract")) {
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      read_extract_item(list->items[i], fmt::format("extract[{}]", i), context);
    }
  }
  // Rules read what a trial without a protocol file printed: its step times must be among it.
  const std::vector<ExtractRule>& rules = context.study.extract;
  if (!rules.empty() && context.problems.size() == problems_before &&
      std::ranges::find(rules, names::kStepTime, &ExtractRule::metric) == rules.end()) {
    root.problem(
        "extract",
        "extract: no rule gives step_time_s, without which every trial fails. Add one, e.g. "
        "{metric: step_time_s, from: wall_time} for the time of the whole command; leave "
        "extract out if the program writes the trial protocol itself");
  }
}

// A program and its arguments; empty without one. A single text is a line for the shell.
std::vector<std::string> read_arguments(Fields& fields,
                                        const std::string& key,
                                        SectionContext& context) {
  std::vector<std::string> arguments;
  if (const YamlNode* line = fields.find(key); line != nullptr && !line->text.empty()) {
    check_placeholders(*line, context);
    return {"sh", "-c", line->text};
  }
  const YamlNode* list = fields.list(key);
  if (list == nullptr) {
    return arguments;
  }
  if (list->items.empty()) {
    context.problems.refuse(*list, key + " is empty; give the program and its arguments");
  }
  for (const YamlNode& item : list->items) {
    if (!item.is_scalar()) {
      context.problems.add(
          item, fmt::format("an argument of {} must be text, not {}", key, describe(item)));
      continue;
    }
    check_placeholders(item, context);
    arguments.push_back(item.text);
  }
  return arguments;
}

// Variables of every trial. Those that differ between cells are axes: env.NAME.
void read_environment(Fields& root, SectionContext& context) {
  const YamlNode* map = root.map("env");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const YamlNode& key = map->keys[i];
    const YamlNode& value = map->items[i];
    const std::string wrong = check_environment_name(environment_catalogue(), key.text);
    if (!wrong.empty() && context.problems.refuse(key, "env." + key.text + ": " + wrong)) {
      continue;
    }
    if (!value.is_scalar()) {
      context.problems.add(value,
                           fmt::format("env.{} must be text, not {}", key.text, describe(value)));
      continue;
    }
    check_placeholders(value, context);
    context.study.environment[key.text] = value.text;
  }
}

void read_versions(Fields& root, SectionContext& context) {
  const YamlNode* map = root.map("versions");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const std::string& name = map->keys[i].text;
    if (!is_parameter_name(name)) {
      context.problems.refuse(map->keys[i], "versions." + name + " is no name, like torch");
    }
    std::vector<std::string>& probe = context.study.versions[name];
    for (const YamlNode& item : map->items[i].items) {
      probe.push_back(item.text);
    }
    if (probe.empty()) {
      context.problems.add(map->items[i],
                           fmt::format("versions.{} is a command whose first line of output is the "
                                       "version, e.g. [python3, --version]",
                                       name));
    }
  }
}

}  // namespace

void read_command(Fields& root, SectionContext& context) {
  if (context.study.workload != Workload::kCommand) {
    if (context.is_workload_known) {
      root.refuse({"command", "extract", "setup", "cleanup", "cwd", "env", "versions"},
                  "belongs to workload: command");
    }
    return;
  }
  read_extract(root, context);
  context.study.setup = read_arguments(root, "setup", context);
  context.study.cleanup = read_arguments(root, "cleanup", context);
  context.study.working_folder = root.text("cwd").value_or("");
  if (const YamlNode* folder = root.find("cwd")) {
    check_placeholders(*folder, context);
  }
  read_environment(root, context);
  read_versions(root, context);
  if (root.require("command")) {
    context.study.command = read_arguments(root, "command", context);
    check_use(root, context);
  }
}

}  // namespace scalestudy

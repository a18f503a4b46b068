// command, extract, steps, trials, controls, order, limits.
#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/text.h"
#include "harness/study/command.h"
#include "harness/study/parameter_rules.h"
#include "harness/study/sections.h"
#include "workloads/protocol/parameters.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kMaxSteps = 1'000'000;
constexpr std::int64_t kMaxTrials = 100'000;

void check_placeholders(const YamlNode& argument, SectionContext& context) {
  const std::set<std::string> varied = varied_names(context.study);
  std::vector<std::string> names(varied.begin(), varied.end());
  for (const auto& [name, value] : context.study.parameters) {
    names.push_back(name);
  }
  for (const std::string& placeholder : placeholders(argument.text)) {
    if (is_environment_parameter(placeholder)) {
      context.problems.refuse(
          argument,
          fmt::format("{{{}}}: the variable is set in the command's environment; "
                      "it cannot be put into its arguments",
                      placeholder));
    } else if (std::find(names.begin(), names.end(), placeholder) == names.end()) {
      context.problems.refuse(argument,
                              fmt::format("{{{}}} names no parameter and no axis{}",
                                          placeholder,
                                          suggestion(placeholder, names)));
    }
  }
}

// Reports an axis, and a row of zip or include, of which the command gets nothing: its cells would
// be the same program run twice. A command without placeholders, or that names the variable,
// reads SCALESTUDY_PARAMETERS: nobody knows what it uses.
void check_use(Fields& root, SectionContext& context) {
  std::vector<std::string> used{"devices", "nodes", "batch_global", "batch_per_device"};
  const std::size_t known = used.size();
  bool reads_parameters = false;
  for (const std::string& argument : context.study.command) {
    std::ranges::move(placeholders(argument), std::back_inserter(used));
    reads_parameters |= argument.find("SCALESTUDY_PARAMETERS") != std::string::npos;
  }
  if (reads_parameters || (used.size() == known && context.study.extract.empty())) {
    return;
  }
  const auto is_used = [&](const YamlNode& key) {
    return is_environment_parameter(key.text) || std::ranges::find(used, key.text) != used.end();
  };
  const auto refuse = [&](const YamlNode& key) {
    context.problems.refuse(
        key,
        fmt::format(
            "the command does not use {0}: cells that differ in it alone would be the "
            "same{1}. Write {{{0}}} into an argument, or call it env.NAME to set a variable",
            key.text,
            suggestion(key.text, used)));
  };
  if (const YamlNode* axes = root.find("axes")) {
    for (const YamlNode& key : axes->keys) {
      if (!is_used(key)) {
        refuse(key);
      }
    }
  }
  for (const char* section : {"zip", "include"}) {
    for (const YamlNode& row :
         root.has(section) ? root.find(section)->items : std::vector<YamlNode>()) {
      if (!row.keys.empty() && std::ranges::none_of(row.keys, is_used)) {
        refuse(row.keys.front());
      }
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
}

ExtractRule read_extract_rule(const YamlNode& node,
                              const std::string& name,
                              ProblemList& problems) {
  Fields fields = section_fields(node, name, problems);
  ExtractRule rule;
  if (!fields.is_map()) {
    return rule;
  }
  if (fields.require("metric")) {
    rule.metric = fields.text("metric").value_or("");
    if (!rule.metric.empty() && !re2::RE2::FullMatch(rule.metric, "[a-z][a-z0-9_]{0,63}")) {
      fields.problem("metric",
                     fmt::format("{} is \"{}\"; lower-case letters, digits and _ are allowed, "
                                 "a letter first, e.g. step_time_s",
                                 fields.path("metric"),
                                 rule.metric));
    }
  }
  if (fields.require("unit")) {
    rule.unit = fields.text("unit").value_or("");
    if (!rule.unit.empty() && stored_unit(rule).unit.empty()) {
      fields.problem("unit",
                     fmt::format("{} is \"{}\"; {} is a time: write the unit that the program "
                                 "prints it in, one of us, ms, s, min, h, d (it is stored in s)",
                                 fields.path("unit"),
                                 rule.unit,
                                 rule.metric));
    }
  }
  const int patterns = static_cast<int>(fields.has("json_path")) +
                       static_cast<int>(fields.has("regex")) +
                       static_cast<int>(fields.has("mllog_key"));
  if (patterns != 1) {
    problems.refuse(node, name + ": exactly one of json_path, regex, mllog_key is required");
  }
  if (!fields.has("regex")) {
    fields.refuse({"group"}, "belongs to regex");
  }
  rule.json_path = fields.text("json_path").value_or("");
  rule.mllog_key = fields.text("mllog_key").value_or("");
  read_regex(fields, rule);
  return rule;
}

void read_extract(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("extract");
  if (list == nullptr) {
    return;
  }
  std::set<std::string> metrics;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const ExtractRule rule =
        read_extract_rule(list->items[i], fmt::format("extract[{}]", i), context.problems);
    if (!rule.metric.empty() && !metrics.insert(rule.metric).second) {
      context.problems.refuse(list->items[i],
                              fmt::format("two extract rules give the metric {}", rule.metric));
    }
    context.study.extract.push_back(rule);
  }
}

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

}  // namespace

void read_command(Fields& root, SectionContext& context) {
  if (context.study.workload != Workload::kCommand) {
    if (context.is_workload_known) {
      root.refuse({"command", "extract"}, "belongs to workload: command");
    }
    return;
  }
  read_extract(root, context);
  if (!root.require("command")) {
    return;
  }
  const YamlNode* list = root.list("command");
  if (list == nullptr) {
    return;
  }
  if (list->items.empty()) {
    context.problems.refuse(*list, "command is empty; give the program and its arguments");
  }
  for (const YamlNode& item : list->items) {
    if (!item.is_scalar()) {
      context.problems.add(item, "an argument of command must be text, not " + describe(item));
      continue;
    }
    check_placeholders(item, context);
    context.study.command.push_back(item.text);
  }
  check_use(root, context);
}

void read_steps(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("steps");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "steps", context.problems);
  Steps& steps = context.study.steps;
  steps.warmup = as_int(fields.integer("warmup", 0, kMaxSteps).value_or(steps.warmup));
  steps.measured = as_int(fields.integer("measured", 1, kMaxSteps).value_or(steps.measured));
  steps.warmup_time_s = fields.duration_s("warmup_time").value_or(0.0);
  steps.measured_time_s = fields.duration_s("measured_time").value_or(0.0);
  for (const auto& [key, seconds] : {std::pair("warmup_time", steps.warmup_time_s),
                                     std::pair("measured_time", steps.measured_time_s)}) {
    const auto* info = protocol::find_parameter("train", std::string(key) + "_s");
    if (const auto wrong = protocol::check_parameter(*info, fmt::format("{}", seconds));
        !wrong.empty()) {
      fields.problem(key, fmt::format("{}: {}", fields.path(key), wrong));
    }
    if (context.study.workload == Workload::kCommand && node->find(key) != nullptr) {
      fields.problem(
          key,
          fmt::format("{}: a command decides itself how long it runs; floors in time are "
                      "for the workloads train and collective",
                      fields.path(key)));
    }
  }
}

void read_trials(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("trials");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "trials", context.problems);
  Trials& trials = context.study.trials;
  if (!fields.is_map()) {
    return;
  }
  if (fields.has("count")) {
    fields.refuse({"min", "max", "until"},
                  "does not go with trials.count; keep one way of the two");
    trials.count = as_int(fields.integer("count", 1, kMaxTrials).value_or(trials.count));
    return;
  }
  if (!fields.has("min") && !fields.has("max") && !fields.has("until")) {
    context.problems.add(*node, "trials needs count, or min, max and until");
    return;
  }
  if (!fields.require("min") || !fields.require("max") || !fields.require("until")) {
    return;
  }
  trials.min = as_int(fields.integer("min", 2, kMaxTrials).value_or(2));
  trials.count = as_int(fields.integer("max", 2, kMaxTrials).value_or(kMaxTrials));
  if (trials.min > trials.count) {
    fields.problem("min",
                   fmt::format("trials.min {} is above trials.max {}", trials.min, trials.count));
  }
  trials.until = fields.percent("until");
  if (trials.until && !(*trials.until > 0.0 && *trials.until < 1.0)) {
    fields.problem("until", "trials.until must lie between 0% and 100%");
  }
}

void read_controls(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("controls");
  if (list == nullptr) {
    return;
  }
  std::vector<std::string> allowed = words_of<CellRole>();
  allowed.erase(allowed.begin());  // measured is no control
  for (const YamlNode& item : list->items) {
    if (!is_word(item, "control", allowed, context.problems)) {
      continue;
    }
    const CellRole control = *from_word<CellRole>(item.text);
    auto& controls = context.study.controls;
    if (std::find(controls.begin(), controls.end(), control) != controls.end()) {
      context.problems.refuse(item, fmt::format("control {} is here twice", item.text));
      continue;
    }
    if (control != CellRole::kAa && context.is_workload_known &&
        context.study.workload != Workload::kTrain &&
        context.problems.refuse(
            item,
            fmt::format("control {} needs workload: train; the communication of "
                        "another program cannot be switched off from outside",
                        item.text))) {
      continue;
    }
    controls.push_back(control);
  }
}

void read_order(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("order");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "order", context.problems);
  if (fields.word<OrderDesign>("design") == OrderDesign::kBatch) {
    context.study.order.design = OrderDesign::kBatch;
    if (context.study.trials.until) {
      fields.problem(
          "design",
          "order.design batch does not go with trials.until: the rule ends a study after "
          "whole blocks, which only design blocks has; use it, or trials.count");
    }
  }
  if (const auto seed = fields.integer("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    context.study.order.seed = static_cast<std::uint64_t>(*seed);
  }
}

void read_limits(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("limits");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "limits", context.problems);
  Limits& limits = context.study.limits;
  constexpr std::int64_t max_retries = 10;
  limits.timeout_s = fields.duration_s("timeout").value_or(limits.timeout_s);
  limits.silence_s = fields.duration_s("silence").value_or(limits.silence_s);
  limits.retries = as_int(fields.integer("retries", 0, max_retries).value_or(limits.retries));
  limits.max_time_s = fields.duration_s("max_time");
}

}  // namespace scalestudy

// extract: rules and presets.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/analysis_options.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/sections/command_use.h"
#include "harness/study/sections/extract_presets.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

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

// Whether one of the two batch sizes is given, from which the other follows.
bool has_batch_size(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  return std::ranges::any_of(
      std::array{names::kBatchGlobal, names::kBatchPerDevice},
      [&](const char* name) { return varied.contains(name) || study.parameters.contains(name); });
}

// What is known without the rule would stand in the place of what is printed, or hide it.
void refuse_known(Fields& fields, const Study& study, const std::string& metric) {
  const bool is_rate = metric == names::kThroughput || metric == names::kThroughputPerDevice;
  if (is_computed(metric) || metric == kTrialWallTime || (is_rate && has_batch_size(study))) {
    fields.problem(
        "metric",
        fmt::format("{0} is {1}, which {2}: yours would not be {3}. Call it printed_{1} "
                    "(analysis.metrics compares it){4}",
                    fields.path("metric"),
                    metric,
                    is_rate               ? "follows from the batch and step_time_s here"
                    : is_computed(metric) ? "the analysis computes itself"
                                          : "every trial has without a rule",
                    is_computed(metric) ? "compared" : "seen",
                    is_rate ? ", or let the step time follow from it: metric: step_time_s, unit: "
                              "samples/s, per_step: \"{batch_global}\""
                            : ""));
  }
}

// What the name of a member says it is: "samples_per_second" is no time, whatever the rule says.
bool is_named_as_rate(const std::string& path) {
  return re2::RE2::FullMatch(path, "(?i).*(per_?s|per_?sec|per_?second|/s|tps|throughput)");
}

// Reports print such a metric in percent, and multiply it by 100 for that.
void check_share_unit(Fields& fields, const ExtractRule& rule) {
  if (is_fraction(rule.metric) && !is_share(rule.metric) && !rule.unit.empty() &&
      rule.unit != "1" && !is_percent(rule.unit)) {
    fields.problem("unit",
                   fmt::format("{} is \"{}\"; {} is a share by its name: write unit: \"%\" if the "
                               "program prints 90 for 90 %, or unit: \"1\" if it prints 0.9",
                               fields.path("unit"),
                               rule.unit,
                               rule.metric));
  }
}

void read_unit(Fields& fields, ExtractRule& rule) {
  if (!fields.require("unit")) {
    return;
  }
  rule.unit = fields.text("unit").value_or("");
  check_share_unit(fields, rule);
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
            "ns, us, ms, s, min, h, d, or a rate like it/s or samples/s (it is stored in s)",
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
                  "belongs to a time that is printed as a rate, like unit: samples/s, or for many "
                  "steps, like unit: s/epoch");
    return;
  }
  if (!fields.has("per_step")) {
    if (stored_unit(rule).needs_amount) {
      fields.problem("unit",
                     fmt::format("{} is {}: add how many there are in a step, e.g. per_step: {}",
                                 fields.path("unit"),
                                 rule.unit,
                                 rule.unit.ends_with("/epoch")
                                     ? "\"{batch_global} / 50000\" for 50000 samples in an epoch"
                                     : "512 or per_step: \"{batch_global}\""));
    }
    return;
  }
  rule.per_step = fields.text("per_step").value_or("");
  const StepAmount amount = parse_step_amount(rule.per_step);
  if (!amount.problem.empty()) {
    fields.problem("per_step", fields.path("per_step") + ": " + amount.problem);
  }
  std::string several;  // "10it" of "s/10it"
  if (re2::RE2::FullMatch(
          rule.unit, "[^/]+/([1-9][0-9]*(?:its?|iters?|iterations?|steps?))", &several) &&
      amount.names.empty() && amount.divisors.empty() && amount.number > 1.0) {
    fields.problem("per_step",
                   fmt::format("{0} is {1}: a step would be {1} times {2}. Leave it out if a step "
                               "is one of {2}, or write its part of {2}, e.g. 0.2",
                               fields.path("per_step"),
                               rule.per_step,
                               several));
  }
  std::vector<std::string> batches;
  if (has_batch_size(context.study)) {
    batches = {names::kBatchGlobal, names::kBatchPerDevice};
  }
  check_placeholders(*fields.find("per_step"), context, batches, ReadBy::kNobody);
}

void read_pattern(Fields& fields,
                  const std::string& name,
                  ProblemList& problems,
                  ExtractRule& rule) {
  if (!fields.has("regex")) {
    fields.refuse({"group"}, "belongs to regex");
  } else {
    fields.refuse({"step_path"},
                  "cannot be combined with regex; write a group (?<step>...) into it");
  }
  if (rule.from == ExtractSource::kWallTime) {
    fields.refuse({"json_path",
                   "step_path",
                   "json",
                   "regex",
                   "mllog_key",
                   "per_step",
                   "decimal",
                   "difference"},
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
  rule.step_path = fields.text("step_path").value_or("");
  read_regex(fields, rule);
  rule.json = fields.word<JsonForm>("json").value_or(JsonForm::kLines);
  if (fields.has("json") && rule.json_path.empty()) {
    fields.problem("json", fields.path("json") + " belongs to json_path");
  } else if (rule.json == JsonForm::kDocument && !rule.mllog_key.empty()) {
    fields.problem(
        "json",
        fields.path("json") + ": document cannot be combined with mllog_key, which is in lines");
  }
  rule.decimal = fields.word<DecimalMark>("decimal");
  rule.is_difference = fields.choice("difference", {"true", "false"}).value_or("false") == "true";
}

// A stream by its word, or {file: PATH}.
void read_source(Fields& fields,
                 const std::string& name,
                 SectionContext& context,
                 ExtractRule& rule) {
  const YamlNode* from = fields.find("from");
  if (from == nullptr || !from->is_map()) {
    rule.from = fields.word<ExtractSource>("from").value_or(ExtractSource::kOutput);
    return;
  }
  Fields source = section_fields(*from, name + ".from", context.problems);
  if (source.require("file")) {
    rule.file = source.text("file").value_or("");
    check_placeholders(*source.find("file"), context, {}, ReadBy::kNoShell);
  }
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
  refuse_known(fields, context.study, rule.metric);
  read_source(fields, name, context, rule);
  read_pattern(fields, name, context.problems, rule);
  if (rule.from == ExtractSource::kWallTime && !fields.has("unit")) {
    rule.unit = "s";
    return rule;
  }
  read_unit(fields, rule);
  read_step_amount(fields, context, rule);
  return rule;
}

void add_rule(const ExtractRule& rule, const YamlNode& at, SectionContext& context) {
  for (const ExtractRule& other : context.study.extract) {
    if (other.metric == rule.metric && stored_unit(other).unit != stored_unit(rule).unit) {
      context.problems.refuse(
          at, fmt::format("two extract rules give the metric {} in different units", rule.metric));
    }
    const std::set<std::string> both{other.metric, rule.metric};
    if (both == std::set<std::string>{"tokens_per_sample", names::kTokensPerSecond} &&
        has_batch_size(context.study)) {
      context.problems.refuse(at,
                              "tokens_per_second follows from tokens_per_sample, the batch and "
                              "step_time_s here: yours would not be seen. Leave one of the two "
                              "rules out, or call it printed_tokens_per_second");
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
  const std::size_t first = context.study.extract.size();
  const PresetRules preset = preset_rules(fields, item, context.problems);
  for (const YamlNode& rule : preset.rules) {
    add_rule(read_extract_rule(rule, name, context), item, context);
  }
  if (first < context.study.extract.size()) {
    context.study.extract[first].conditions = preset.conditions;
  }
  for (std::size_t i = first; i < context.study.extract.size(); ++i) {
    context.study.extract[i].is_of_preset = true;
  }
}

}  // namespace

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

}  // namespace scalestudy

// analysis.targets: expectations, each with a verdict.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/study/declared/study_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/sections/amount.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Reads "95 % of published:paper" or "95 % of study:name"; the bound is then the share. Absent, and
// nothing is reported, if the text is no such thing.
std::optional<double> read_share(Fields& fields,
                                 const std::string& key,
                                 const std::string& text,
                                 std::optional<TargetSource>& source) {
  constexpr std::string_view of = " of ";
  const std::size_t middle = text.find(of);
  if (middle == std::string::npos) {
    return std::nullopt;
  }
  const Quantity share = parse_percent(text.substr(0, middle));
  const std::string from = text.substr(middle + of.size());
  const std::size_t colon = from.find(':');
  const auto kind = from_word<ReferenceKind>(from.substr(0, colon));
  if (!share.value || !(*share.value > 0.0) || colon == std::string::npos || !kind ||
      colon + 1 == from.size()) {
    fields.problem(key,
                   fmt::format("{} is \"{}\"; write \"95 % of published:DATASET\" or \"95 % of "
                               "study:NAME\"",
                               fields.path(key),
                               text));
    return std::nullopt;
  }
  source = TargetSource{.kind = *kind, .name = from.substr(colon + 1)};
  return share.value;
}

// The bound of a target in the unit of its metric.
std::optional<double> read_bound(Fields& fields,
                                 const std::string& key,
                                 const Study& study,
                                 Target& target) {
  const std::string& metric = target.metric;
  const YamlNode* node = fields.find(key);
  if (node == nullptr || metric.empty()) {
    return std::nullopt;
  }
  if (node->is_scalar() && node->text.find(" of ") != std::string::npos) {
    return read_share(fields, key, node->text, target.source);
  }
  return read_amount(fields, key, metric, study, Bare::kTaken);
}

// What the metric of a target needs elsewhere in the study.
void check_metric(Fields& fields,
                  const Fields& analysis,
                  const Study& study,
                  const std::string& metric) {
  const bool has_noop = std::find(study.controls.begin(), study.controls.end(), CellRole::kNoop) !=
                        study.controls.end();
  const Metric* found = find_metric(metric);
  const MetricBase base = found == nullptr ? MetricBase::kNone : found->base;
  if (base == MetricBase::kBaseline && !has_baseline(analysis, study)) {
    fields.problem(
        "metric",
        fmt::format("{} needs a baseline; add analysis.baseline, e.g. {{devices: 1}}", metric));
  }
  if (base == MetricBase::kNoop && !has_noop) {
    fields.problem(
        "metric",
        study.workload == Workload::kTrain
            ? "communication_overhead needs the control without communication; add "
              "controls: [noop]"
            : "communication_overhead needs the control without communication, which only "
              "workload: train has; for a program of yours extract exposed_communication_time_s, "
              "name exposed_communication_share in analysis.metrics and set a target on that");
  }
}

// What cannot be combined with a share of a value from elsewhere.
void check_source(Fields& fields, const Target& target, const SectionContext& context) {
  if (!target.source || target.source->kind != ReferenceKind::kStudy) {
    return;
  }
  const char* key = target.at_least ? "at_least" : "at_most";
  const std::string& name = target.source->name;
  if (!is_study_name(name)) {
    fields.problem(key,
                   fmt::format("{}: \"{}\" cannot be the name of a study", fields.path(key), name));
  } else if (name == context.study.name) {
    fields.problem(key, fields.path(key) + " names this study itself");
  } else if (is_relative(target.metric)) {
    fields.problem(
        key,
        fmt::format("{}: {} compares cells within a study; of another study take {} or a "
                    "metric that trials measure",
                    fields.path(key),
                    target.metric,
                    names::kThroughput));
  }
}

Target read_target(const YamlNode& node,
                   const std::string& name,
                   const Fields& analysis,
                   SectionContext& context) {
  Fields fields = section_fields(node, name, context.problems);
  Target target;
  if (!fields.is_map()) {
    return target;
  }
  if (fields.require("name")) {
    target.name = fields.text("name").value_or("");
  }
  if (fields.require("metric")) {
    target.metric = read_judged_metric(fields, context, &Metric::is_target);
    check_metric(fields, analysis, context.study, target.metric);
  }
  if (target.name == limit_name(target.metric)) {
    fields.problem("name", "\"" + target.name + "\" is what results of analysis.within are called");
  }
  if (const YamlNode* where = fields.map("where")) {
    target.where = read_selection(*where, name + ".where", context);
  }
  if (fields.has("at_least") == fields.has("at_most")) {
    context.problems.refuse(node, name + ": exactly one of at_least and at_most is required");
  }
  target.at_least = read_bound(fields, "at_least", context.study, target);
  target.at_most = read_bound(fields, "at_most", context.study, target);
  check_source(fields, target, context);
  return target;
}

}  // namespace

void read_targets(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("targets");
  if (list == nullptr) {
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Target target =
        read_target(list->items[i], fmt::format("analysis.targets[{}]", i), analysis, context);
    if (!target.name.empty() && !names.insert(target.name).second) {
      context.problems.refuse(list->items[i],
                              fmt::format("two targets have the name \"{}\"", target.name));
    }
    context.study.analysis.targets.push_back(std::move(target));
  }
}

}  // namespace scalestudy

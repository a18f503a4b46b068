// analysis.targets: expectations, each with a verdict.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/study/parameters/metrics.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Ratios above this are surely percentages without their sign.
constexpr double kMaxPlainRatio = 2.0;

// The bound of a target in the unit of its metric: seconds need a unit, ratios may be percentages.
std::optional<double> read_bound(Fields& fields, const std::string& key, const Target& target) {
  const std::string& metric = target.metric;
  const YamlNode* node = fields.find(key);
  if (node == nullptr || metric.empty()) {
    return std::nullopt;
  }
  if (metric == names::kStepTime) {
    return fields.duration_s(key);
  }
  if (is_share(metric) && node->is_scalar() && node->text.ends_with('%')) {
    return fields.percent(key);
  }
  const auto value = fields.number(key);
  if (value && is_share(metric) && *value > kMaxPlainRatio &&
      fields.problem(key,
                     fmt::format("{} is {}, that is {:.0f} %; write {}% or {:g}",
                                 fields.path(key),
                                 node->text,
                                 *value * 100.0,
                                 node->text,
                                 *value / 100.0))) {
    return std::nullopt;
  }
  return value;
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
    fields.problem("metric",
                   "communication_overhead needs the control without communication; "
                   "add controls: [noop]");
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
    target.metric =
        fields.choice("metric", allowed_metrics(context.study, &Metric::is_target)).value_or("");
    check_metric(fields, analysis, context.study, target.metric);
  }
  if (const YamlNode* where = fields.map("where")) {
    target.where = read_selection(*where, name + ".where", context);
  }
  if (fields.has("at_least") == fields.has("at_most")) {
    context.problems.refuse(node, name + ": exactly one of at_least and at_most is required");
  }
  target.at_least = read_bound(fields, "at_least", target);
  target.at_most = read_bound(fields, "at_most", target);
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

#include "harness/study/metrics.h"

#include <algorithm>
#include <array>

#include "harness/study/study.h"

namespace scalestudy {
namespace {

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "step_time_s",
     .kind = MetricKind::kTime,
     .unit = "s",
     .is_higher_better = false,
     .heading = "Step time",
     .meaning = "mean step time",
     .is_target = true},
    {.name = "throughput",
     .kind = MetricKind::kRate,
     .unit = "samples/s",
     .is_higher_better = true,
     .heading = "Throughput",
     .meaning = "samples over the time of a step [interval]",
     .is_target = true,
     .has_column = true,
     .has_figure = true},
    {.name = "throughput_per_device",
     .kind = MetricKind::kRate,
     .unit = "samples/s",
     .is_higher_better = true,
     .heading = "Per device",
     .meaning = "the same per device [interval]",
     .has_column = true},
    {.name = "tokens_per_second",
     .kind = MetricKind::kRate,
     .unit = "tokens/s",
     .is_higher_better = true,
     .heading = "Tokens",
     .meaning = "tokens of a model of sequences over the time of a step [interval]",
     .is_target = true,
     .has_column = true,
     .has_figure = true},
    {.name = "model_flop_utilization",
     .kind = MetricKind::kShare,
     .unit = "1",
     .is_higher_better = true,
     .heading = "MFU",
     .meaning = "model FLOP over the device's peak, % [interval]",
     .has_column = true},
    {.name = "speedup",
     .kind = MetricKind::kRatio,
     .unit = "1",
     .is_higher_better = true,
     .heading = "Speedup",
     .meaning = "throughput over the base's [interval]",
     .base = MetricBase::kBaseline,
     .is_target = true,
     .is_threshold = true},
    {.name = "efficiency",
     .kind = MetricKind::kShare,
     .unit = "1",
     .is_higher_better = true,
     .heading = "Efficiency",
     .meaning = "speedup over the ratio of devices, % [interval]",
     .base = MetricBase::kBaseline,
     .is_target = true,
     .is_threshold = true},
    {.name = "communication_overhead",
     .kind = MetricKind::kShare,
     .unit = "1",
     .is_higher_better = false,
     .heading = "Overhead",
     .meaning = "share of the step, % [interval]",
     .base = MetricBase::kNoop,
     .is_target = true},
});

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* find_metric(std::string_view name) {
  const auto* found = std::find_if(
      kMetrics.begin(), kMetrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == kMetrics.end() ? nullptr : found;
}

std::vector<std::string> metric_names(bool Metric::*may_stand) {
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) {
    if (metric.*may_stand) {
      names.emplace_back(metric.name);
    }
  }
  return names;
}

bool is_share(std::string_view metric) {
  const Metric* found = find_metric(metric);
  return found != nullptr && found->kind == MetricKind::kShare;
}

bool is_relative(std::string_view metric) {
  const Metric* found = find_metric(metric);
  return found != nullptr && found->base != MetricBase::kNone;
}

const MetricRequest* find_request(const AnalysisOptions& analysis, std::string_view metric) {
  const auto found = std::find_if(
      analysis.metrics.begin(), analysis.metrics.end(), [&](const MetricRequest& request) {
        return request.metric == metric;
      });
  return found == analysis.metrics.end() ? nullptr : &*found;
}

}  // namespace scalestudy

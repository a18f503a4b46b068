#include "harness/study/parameters/metrics.h"

#include <algorithm>
#include <array>

#include "harness/study/declared/study.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

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
     .meaning = "samples divided by the step time [interval]",
     .is_target = true,
     .has_column = true},
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
     .meaning = "tokens of a sequence model divided by the step time [interval]",
     .is_target = true,
     .has_column = true},
    {.name = "model_flop_utilization",
     .kind = MetricKind::kShare,
     .unit = "1",
     .is_higher_better = true,
     .heading = "MFU",
     .meaning = "model FLOP per second divided by the device's peak, % [interval]",
     .is_target = true,
     .has_column = true},
    {.name = "speedup",
     .kind = MetricKind::kRatio,
     .unit = "1",
     .is_higher_better = true,
     .heading = "Speedup",
     .meaning = "throughput divided by the base's [interval]",
     .base = MetricBase::kBaseline,
     .is_target = true,
     .is_threshold = true},
    {.name = "efficiency",
     .kind = MetricKind::kShare,
     .unit = "1",
     .is_higher_better = true,
     .heading = "Efficiency",
     .meaning = "speedup divided by the ratio of devices, % [interval]",
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

// Comparisons that no row of the table is (harness/analysis/compare/comparisons.h), `cheapest:NAME`
// of a price among them.
constexpr auto kComparisons = std::to_array<std::string_view>({"synchronization_overhead",
                                                               "transfer_overhead",
                                                               names::kOverlapGain,
                                                               "aa",
                                                               "device_match",
                                                               names::kFastest,
                                                               "cheapest",
                                                               names::kAgainstWinner,
                                                               "main_effect",
                                                               "interaction"});

// What follows from the time of a step and prices.
constexpr auto kCosts = std::to_array<std::string_view>(
    {"cost_per_million_samples", "cost_per_million_tokens", "cost_efficiency"});

// What else analysis makes (harness/analysis/estimates/estimates.h), and a metric that trials have.
struct Made {
  std::string_view metric;
  std::string_view of;
};
constexpr auto kMade = std::to_array<Made>({{"computation_share", names::kForwardTime},
                                            {"exposed_communication_share", names::kExposed},
                                            {"update_share", names::kOptimizerTime},
                                            {"data_share", names::kDataTime},
                                            {"other_share", names::kOtherTime},
                                            {"overlap_efficiency", names::kExposed},
                                            {"overhead_reduction", names::kExposed},
                                            {"loss_final", names::kLoss},
                                            {"checkpoint_save_bytes_per_s", names::kSaveTime},
                                            {"checkpoint_load_bytes_per_s", names::kLoadTime},
                                            {"young_interval_s", names::kSaveTime},
                                            {"daly_interval_s", names::kSaveTime},
                                            {"expected_overhead", names::kDowntime}});

// Shares that trials have, or that analysis makes, besides step_shares(): reports multiply them by
// 100.
constexpr auto kFractions = std::to_array<std::string_view>({"checkpoint_cached_share",
                                                             "data_storage_share",
                                                             "declared_link_share",
                                                             "gpu_busy_share",
                                                             "link_share",
                                                             "loading_share",
                                                             "memory_share",
                                                             "overhead_reduction",
                                                             "overlap_efficiency",
                                                             "pipeline_bubble",
                                                             "pipeline_bubble_ideal",
                                                             "preprocessing_share",
                                                             "system_share"});

}  // namespace

std::string refuse_request(const std::string& metric, bool is_command) {
  const std::string_view stem = std::string_view(metric).substr(0, metric.find(':'));
  if (find_metric(metric) != nullptr || std::ranges::find(kCosts, stem) != kCosts.end()) {
    return metric + " is compared, or follows from what is, without being named here";
  }
  if (std::ranges::find(kComparisons, stem) != kComparisons.end()) {
    return metric + " is a comparison of every study; call the program's metric something else";
  }
  const auto* made = std::ranges::find(kMade, stem, &Made::metric);
  return is_command || made == kMade.end()
             ? ""
             : metric + " is made of other metrics, and no trial has it; name one that trials " +
                   "have, such as " + std::string(made->of);
}

bool is_computed(std::string_view metric) {
  return is_relative(metric) || std::ranges::find(kCosts, metric) != kCosts.end() ||
         std::ranges::find(kComparisons, metric) != kComparisons.end();
}

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* find_metric(std::string_view name) {
  const auto* found = std::find_if(
      kMetrics.begin(), kMetrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == kMetrics.end() ? nullptr : found;
}

std::string metric_words(std::string_view name) {
  if (name == names::kPeakBytes) {
    return "peak memory";
  }
  if (name == names::kTrafficBytes) {
    return "traffic";
  }
  if (name == names::kBusBandwidth) {
    return "bus bandwidth";
  }
  if (name == names::kAlgorithmBandwidth) {
    return "algorithm bandwidth";
  }
  return find_metric(name) == nullptr ? std::string(name) : plain_words(std::string(name));
}

std::string plain_words(std::string name) {
  if (name.ends_with("_per_s")) {
    name += "econd";
  } else if (name.ends_with("_s")) {
    name.resize(name.size() - 2);
  }
  std::ranges::replace(name, '_', ' ');
  return name;
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

bool is_learned(std::string_view metric) {
  return metric == names::kAccuracy || metric == "held_out_loss" || metric == names::kLoss ||
         metric == "loss_final" || metric.starts_with("epoch_");
}

bool is_share(std::string_view metric) {
  const Metric* found = find_metric(metric);
  return found != nullptr && found->kind == MetricKind::kShare;
}

bool is_relative(std::string_view metric) {
  const Metric* found = find_metric(metric);
  return found != nullptr && found->base != MetricBase::kNone;
}

bool is_fraction(std::string_view metric) {
  return is_share(metric) || step_shares().contains(std::string(metric)) ||
         std::ranges::find(kFractions, metric) != kFractions.end();
}

const std::map<std::string, std::vector<std::string>>& step_shares() {
  static const std::map<std::string, std::vector<std::string>> kShares{
      {"computation_share", {names::kForwardTime, names::kBackwardTime}},
      {"exposed_communication_share", {names::kExposed}},
      {"update_share", {names::kOptimizerTime}},
      {"data_share", {names::kDataTime}},
      {"other_share", {names::kOtherTime}}};
  return kShares;
}

bool is_percent(std::string_view unit) {
  const std::string word = lowered(std::string(unit));
  return word == "%" || word == "percent" || word == "per cent" || word == "pct";
}

bool is_in_percent(std::string_view metric, std::string_view unit) {
  return is_percent(unit) && is_fraction(metric);
}

const MetricRequest* find_request(const AnalysisOptions& analysis, std::string_view metric) {
  const auto found = std::find_if(
      analysis.metrics.begin(), analysis.metrics.end(), [&](const MetricRequest& request) {
        return request.metric == metric;
      });
  return found == analysis.metrics.end() ? nullptr : &*found;
}

}  // namespace scalestudy

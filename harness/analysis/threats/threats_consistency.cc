// Threats from results that do not fit together.
#include <algorithm>
#include <cmath>
#include <string>

#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kSuspiciousEfficiency = 1.02;
constexpr double kLeastResidualShare = 0.02;  // of the step
constexpr double kLeastResidualS = 20e-6;

// Whether only the number of devices sets the cells apart, and what may change with it: another
// batch, or what is tied to the devices, may well make one more than 100 % as efficient.
bool differ_in_devices_alone(const CellRow& a, const CellRow& b) {
  const auto has_all = [](const CellRow& cell, const CellRow& other) {
    return std::ranges::all_of(other.parameters, [&](const CellRow::Parameter& parameter) {
      return parameter.name == names::kDevices || parameter.name == names::kNodes ||
             follows_devices(parameter.name, {&cell, &other}) ||
             std::ranges::any_of(cell.parameters, [&](const CellRow::Parameter& own) {
               return own.name == parameter.name && own.value == parameter.value;
             });
    });
  };
  return has_all(a, b) && has_all(b, a);
}

// Ranks that share a core or device claim no performance, on either side.
void add_superlinear(const StudyObservation& observation,
                     const std::vector<ComparisonRow>& comparisons,
                     std::vector<ThreatRow>& threats) {
  std::vector<std::string> cells;
  std::vector<std::string> explained;
  for (const ComparisonRow& row : comparisons) {
    // "faster" is adjusted over the cells, so that linear scaling is suspected in few studies.
    if (row.quantity != kEfficiency || row.verdict != Verdict::kFaster ||
        row.value.value_or(0.0) <= kSuspiciousEfficiency) {
      continue;
    }
    const CellObservation& cell = *observation.find_cell(row.cell_id);
    const CellRow& base = observation.find_cell(row.baseline_cell_id)->row;
    if (!cell.row.oversubscribed && !base.oversubscribed) {
      (differ_in_devices_alone(cell.row, base) ? cells : explained)
          .push_back(describe_cell(cell.row) + ": " + format_share(measure_of(row), " %", {1.0}));
    }
  }
  if (!cells.empty()) {
    threats.push_back({ThreatKind::kSuperlinear,
                       Severity::kWarning,
                       "Efficiency is above 100 %: " + list_some(cells) +
                           ". More than linear scaling is suspicious: look for a baseline that "
                           "was slowed down, or for data that fits a cache only when it is "
                           "split."});
  }
  if (!explained.empty()) {
    threats.push_back({ThreatKind::kSuperlinear,
                       Severity::kNote,
                       "Efficiency is above 100 %: " + list_some(explained) +
                           ". The base differs in more than devices, such as the batch, which may "
                           "be the reason."});
  }
}

void add_failed_controls(const StudyObservation& observation,
                         const std::vector<ComparisonRow>& comparisons,
                         std::vector<ThreatRow>& threats) {
  for (const ComparisonRow& row : comparisons) {
    if (row.quantity == kAa &&
        (row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower)) {
      const CellObservation& cell = *observation.find_cell(row.cell_id);
      threats.push_back({ThreatKind::kControlFailed,
                         Severity::kWarning,
                         "Control failed: " + describe_cell(cell.row) +
                             ", run under a second name, is " + to_word(row.verdict) +
                             " than itself (" +
                             format_interval(measure_of(row), {.unit = "x", .levels = {1.0}}) +
                             "). Do not trust other verdicts of this size."});
    }
  }
}

// "on device 1".
std::string place_of(const CellRow& cell) {
  const CellRow::Parameter* device = find_varied(cell, kOnDevice);
  return device == nullptr ? describe_cell(cell) : name_parameter(*device);
}

// A difference that may be smaller than the study's margin is none that it declared to matter.
bool is_beyond_margin(const ComparisonRow& row) {
  return (row.verdict == Verdict::kSlower && row.hi.value_or(1.0) < 1.0 / (1.0 + row.margin)) ||
         (row.verdict == Verdict::kFaster && row.lo.value_or(1.0) > 1.0 + row.margin);
}

void add_unequal_devices(const StudyObservation& observation,
                         const std::vector<ComparisonRow>& comparisons,
                         std::vector<ThreatRow>& threats) {
  std::vector<std::string> unequal;
  std::string slowest = "on device 0";
  double least = 1.0;
  for (const ComparisonRow& row : comparisons) {
    if (row.quantity != kDeviceMatch || !is_beyond_margin(row)) {
      continue;
    }
    const std::string place = place_of(observation.find_cell(row.cell_id)->row);
    unequal.push_back(format_interval(measure_of(row), {.unit = "x", .levels = {1.0}}) + " " +
                      place);
    if (row.value.value_or(1.0) < least) {
      least = *row.value;
      slowest = place;
    }
  }
  if (!unequal.empty()) {
    threats.push_back(
        {ThreatKind::kUnequalDevices,
         Severity::kWarning,
         "Devices are not equal: relative to device 0, the throughput of the same cell is " +
             list_some(unequal) + "; the lowest is " + slowest +
             ". Cells of one device ran on device 0, so speedups are relative to it; "
             "a step of several devices waits for the slowest."});
  }
}

// Step time that no phase accounts for, as a mean over trials; absent without the phases.
std::optional<double> unexplained_s(const CellObservation& cell) {
  std::vector<double> residuals;
  for (const TrialObservation& trial : cell.trials) {
    double explained = 0.0;
    for (const char* phase : {names::kDataTime,
                              names::kForwardTime,
                              names::kBackwardTime,
                              names::kExposed,
                              names::kOptimizerTime}) {
      const auto found = trial.metrics.find(phase);
      explained += found == trial.metrics.end() ? 0.0 : found->second.mean;
    }
    const auto step = trial.metrics.find(kStepTime);
    if (step != trial.metrics.end() && step->second.mean > 0.0 &&
        trial.metrics.contains(names::kForwardTime) &&
        trial.metrics.contains(names::kBackwardTime)) {
      residuals.push_back(step->second.mean - explained);
    }
  }
  return stats::mean(residuals);
}

void add_phases(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t open = 0;
  std::int64_t checked = 0;
  double worst_share = 0.0;
  double worst_s = 0.0;
  std::string worst_label;
  for (const CellObservation& cell : observation.cells) {
    const std::optional<double> rest_s = unexplained_s(cell);
    const std::optional<double> step_s = stats::mean(trial_means(cell, kStepTime));
    if (!rest_s || !step_s || !(*step_s > 0.0)) {
      continue;
    }
    ++checked;
    if (std::abs(*rest_s) <= std::max(kLeastResidualShare * *step_s, kLeastResidualS)) {
      continue;
    }
    ++open;
    if (std::abs(*rest_s / *step_s) > std::abs(worst_share)) {
      worst_share = *rest_s / *step_s;
      worst_s = *rest_s;
      worst_label = describe_cell(cell.row);
    }
  }
  if (open > 0) {
    const std::string worst = format_plain(100.0 * std::abs(worst_share)) + " % of the step (" +
                              format_amount({.value = std::abs(worst_s), .lo = {}, .hi = {}}, "s") +
                              ")";
    threats.push_back(
        {ThreatKind::kPhases,
         Severity::kWarning,
         "The timed phases do not add up to the step in " + std::to_string(open) + " of " +
             format_count(checked, "cell") + "; at worst " +
             (worst_share > 0.0
                  ? worst + " belongs to no phase (" + worst_label +
                        "). The breakdown there is incomplete."
                  : "they exceed it by " + worst + ", at " + worst_label +
                        ". There they overlap, or count time outside the step. Only communication "
                        "that computation waits for is exposed_communication_time_s.")});
  }
}

void add_definitions(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::map<StepTimeDefinition, std::int64_t> trials;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      if (trial.definition) {
        ++trials[*trial.definition];
      }
    }
  }
  if (trials.size() > 1) {
    threats.push_back({ThreatKind::kDefinitions,
                       Severity::kWarning,
                       "The step time is defined differently in different trials: the measured "
                       "window divided by its steps in " +
                           format_count(trials[StepTimeDefinition::kWindow], "trial") +
                           ", the mean of the step times of the slowest rank in " +
                           std::to_string(trials[StepTimeDefinition::kSteps]) +
                           ", which is longer if ranks are slow alternately."});
  }
}

}  // namespace

std::vector<ThreatRow> consistency_threats(const StudyObservation& observation,
                                           const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats;
  add_superlinear(observation, comparisons, threats);
  add_failed_controls(observation, comparisons, threats);
  add_unequal_devices(observation, comparisons, threats);
  add_phases(observation, threats);
  add_definitions(observation, threats);
  return threats;
}

std::vector<ThreatRow> part_threats(const StudyObservation& observation,
                                    const std::vector<EstimateRow>& estimates) {
  std::vector<std::string> parts;
  for (const EstimateRow& row : estimates) {
    if (row.variant != Variant::kAll || row.statistic != Statistic::kMean ||
        !is_longer_than_step(row)) {
      continue;
    }
    const CellObservation& cell = *observation.find_cell(row.cell_id);
    if (!unexplained_s(cell)) {  // else add_phases() has told it
      parts.push_back(describe_cell(cell.row) + ": " + plain_words(row.metric) + " " +
                      format_share(measure_of(row), " %", {1.0}));
    }
  }
  if (parts.empty()) {
    return {};
  }
  return {{ThreatKind::kPhases,
           Severity::kWarning,
           fmt::format("A part of the step is longer than the step, which is impossible: {}{}. "
                       "The unit of a rule is wrong, or the time is of several steps or ranks. "
                       "Targets on such a part are undecided.",
                       parts.front(),
                       parts.size() == 1 ? "" : fmt::format(", and {} more", parts.size() - 1))}};
}

}  // namespace scalestudy

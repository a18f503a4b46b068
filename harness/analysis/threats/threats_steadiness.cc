// Threats from how the step times moved inside a trial, and from single outliers.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/observe/flags.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/distributions.h"
#include "stats/mean_interval.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr double kLeastChange = 0.005;  // over a trial's step times, relative

struct CellSlope {
  const CellObservation* cell = nullptr;
  double change = 0.0;     // over a trial's step times, relative, in the mean
  std::int64_t steps = 0;  // of a trial, in the mean
  std::int64_t trials = 0;
  std::optional<double> p;
};

std::vector<CellSlope> cell_slopes(const StudyObservation& observation) {
  std::vector<CellSlope> slopes;
  for (const CellObservation& cell : observation.cells) {
    std::vector<double> values;
    std::int64_t steps = 0;
    for (const TrialObservation& trial : cell.trials) {
      const auto times = trial.metrics.find(kStepTime);
      if (trial.steps.slope && times != trial.metrics.end()) {
        values.push_back(*trial.steps.slope * static_cast<double>(times->second.steps) / 100.0);
        steps += times->second.steps;
      }
    }
    const stats::MeanInterval interval = stats::mean_ci_t(values, 1.0 - kThreatAlpha);
    if (interval.status == stats::Status::kOk) {
      const auto trials = static_cast<std::int64_t>(values.size());
      slopes.push_back(
          {.cell = &cell,
           .change = *interval.mean,
           .steps = steps / trials,
           .trials = trials,
           .p = stats::student_t_two_sided_p(*interval.mean / *interval.se, *interval.df)});
    }
  }
  return slopes;
}

// Steps that still get faster or slower after the warm-up (Holm over the cells, so that a study of
// many cells raises no more false alarms than one of few).
void add_warm_up(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  const std::vector<CellSlope> slopes = cell_slopes(observation);
  std::vector<std::optional<double>> p_values;
  p_values.reserve(slopes.size());
  for (const CellSlope& slope : slopes) {
    p_values.push_back(slope.p);
  }
  const stats::AdjustedP adjusted = stats::holm(p_values);
  std::vector<std::string> cells;
  bool do_fall = false;
  bool do_rise = false;
  for (std::size_t i = 0; i < slopes.size() && i < adjusted.adjusted.size(); ++i) {
    const CellSlope& slope = slopes[i];
    const double p = adjusted.adjusted[i].value_or(1.0);
    if (p < kThreatAlpha && std::abs(slope.change) > kLeastChange) {
      (slope.change < 0.0 ? do_fall : do_rise) = true;
      cells.push_back(fmt::format("{}: {}{} % over {} (adjusted {} over {})",
                                  describe_cell(slope.cell->row),
                                  slope.change > 0.0 ? "+" : "",
                                  format_plain(100.0 * slope.change),
                                  format_count(slope.steps, "step time"),
                                  say_p_value(p),
                                  format_count(slope.trials, "trial")));
    }
  }
  if (!cells.empty()) {
    threats.push_back(
        {ThreatKind::kWarmUp,
         Severity::kWarning,
         "No steady state: step times change during the measured steps of " + list_some(cells) +
             ". No interval covers that bias." +
             (do_fall ? " Times fall if part of the warm-up was measured: raise steps.warmup."
                      : "") +
             (do_rise ? " Times rise if the machine slows down under load or later steps do more "
                        "work, which no warm-up ends: measure as many steps as your runs have, or "
                        "remove the cause."
                      : "")});
  }
}

struct OutlierCount {
  std::int64_t steps = 0;
  std::int64_t flagged_steps = 0;
  double time_s = 0.0;
  double flagged_time_s = 0.0;
  std::int64_t trials = 0;
  std::int64_t flagged_trials = 0;
  std::int64_t cells_with_rare = 0;
  std::string rare_label;
  double rare_move = 0.0;
};

// How far leaving out the slowest trial moves the mean, as largest_move() says it of flagged ones.
double move_of_slowest(const CellObservation& cell) {
  const std::vector<double> means = trial_means(cell, kStepTime);
  return (std::ranges::max(means) / *stats::mean(means) - 1.0) /
         static_cast<double>(means.size() - 1);
}

OutlierCount count_outliers(const StudyObservation& observation) {
  OutlierCount count;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found == trial.metrics.end() || !(found->second.mean > 0.0)) {
        continue;
      }
      const double time_s = found->second.mean * static_cast<double>(found->second.steps);
      count.steps += found->second.steps;
      count.flagged_steps += trial.steps.flagged;
      count.time_s += time_s;
      count.flagged_time_s += trial.steps.flagged_share * time_s;
      ++count.trials;
      count.flagged_trials += trial.flagged ? 1 : 0;
    }
    if (has_rare_slow_trials(cell)) {
      ++count.cells_with_rare;
      count.rare_label = count.rare_label.empty() ? describe_cell(cell.row) : count.rare_label;
      count.rare_move = std::max(count.rare_move, move_of_slowest(cell));
    }
  }
  return count;
}

// Largest relative move, up or down, of a cell's mean step time when its flagged trials are left
// out.
double largest_move(const std::vector<EstimateRow>& estimates) {
  std::map<std::int64_t, double> with_all;
  double largest = 0.0;
  for (const EstimateRow& row : estimates) {
    if (row.metric != kStepTime || row.statistic != Statistic::kMean || !row.value) {
      continue;
    }
    if (row.variant == Variant::kAll) {
      with_all[row.cell_id] = *row.value;
    } else if (row.variant == Variant::kUnflagged && with_all.contains(row.cell_id)) {
      largest = std::max(largest, std::abs(*row.value / with_all[row.cell_id] - 1.0));
    }
  }
  return largest;
}

double percentage(double part, double whole) {
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

void add_outliers(const StudyObservation& observation,
                  const Study& study,
                  const std::vector<EstimateRow>& estimates,
                  std::vector<ThreatRow>& threats) {
  const OutlierCount count = count_outliers(observation);
  const std::string rule = format_rule(study.analysis.outliers);
  if (count.flagged_steps > 0) {
    threats.push_back(
        {ThreatKind::kOutliers,
         Severity::kNote,
         std::to_string(count.flagged_steps) + " of " + format_count(count.steps, "step") + " (" +
             format_plain(percentage(static_cast<double>(count.flagged_steps),
                                     static_cast<double>(count.steps))) +
             " %, " + format_plain(percentage(count.flagged_time_s, count.time_s)) +
             " % of the time)" +
             (count.flagged_steps == 1
                  ? " is marked by " + rule + " within its trial; it is included."
                  : " are marked by " + rule + " within their trial; they are included.")});
  }
  if (count.flagged_trials > 0) {
    threats.push_back({ThreatKind::kOutliers,
                       Severity::kNote,
                       std::to_string(count.flagged_trials) + " of " +
                           format_count(count.trials, "trial") +
                           (count.flagged_trials == 1
                                ? " is marked by " + rule +
                                      " among the trials of its cell; it is included in every "
                                      "verdict, and leaving it "
                                : " are marked by " + rule +
                                      " among the trials of their cell; they are included in every "
                                      "verdict, and leaving them ") +
                           "out (variant unflagged) moves a mean step time by at most " +
                           format_plain(100.0 * largest_move(estimates)) + " %."});
  }
  if (count.cells_with_rare > 0) {
    threats.push_back(
        {ThreatKind::kRareSlowTrials,
         count.rare_move > study.analysis.margin / 2.0 ? Severity::kWarning : Severity::kNote,
         "Rare slow trials in " + format_count(count.cells_with_rare, "cell") +
             name_first(count.cells_with_rare, count.rare_label) + " with fewer than " +
             std::to_string(kTrialsToMeetRareStates) +
             " trials: the interval may be too narrow there, since one such trial moves a mean by "
             "up to " +
             format_plain(100.0 * count.rare_move) + " %. Clean studies get this in at most " +
             format_percent(kFalseAlarms) + " of cases."});
  }
}

// The rule marks up to 5 % of clean trials (workloads/rank/phases.h): a warning where more are
// marked than that explains.
void add_unsteady(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::size_t trials = 0;
  std::size_t unsteady = 0;
  std::string label;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      ++trials;
      if (!trial.is_steady) {
        ++unsteady;
        label = label.empty() ? describe_cell(cell.row) : label;
      }
    }
  }
  if (unsteady > 0) {
    threats.push_back(
        {ThreatKind::kUnsteady,
         stats::binomial_upper_tail(trials, kFalseAlarms, unsteady) < kFalseAlarms
             ? Severity::kWarning
             : Severity::kNote,
         std::to_string(unsteady) + " of " +
             format_count(static_cast<std::int64_t>(trials), "trial") + " never became steady" +
             name_first(static_cast<std::int64_t>(unsteady), label) +
             ": at the end of the longest warm-up allowed, step times still differed from earlier "
             "ones by more than 2 % and more than their noise. Their measured steps may include a "
             "part of the warm-up. Up to 5 % of steady trials are marked by chance."});
  }
}

}  // namespace

std::vector<ThreatRow> steadiness_threats(const StudyObservation& observation,
                                          const Study& study,
                                          const std::vector<EstimateRow>& estimates,
                                          const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats = drift_threats(observation, study, comparisons);
  add_warm_up(observation, threats);
  add_unsteady(observation, threats);
  add_outliers(observation, study, estimates, threats);
  return threats;
}

}  // namespace scalestudy

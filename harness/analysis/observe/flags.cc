#include "harness/analysis/observe/flags.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/text/number.h"
#include "stats/check.h"
#include "stats/drift.h"
#include "stats/multiplicity.h"
#include "stats/outliers.h"
#include "stats/select.h"
#include "stats/sum.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// How far each value is out, in the unit of the rule's threshold: modified z scores, or multiples
// of the interquartile range beyond the nearer quartile.
std::vector<double> scores(std::span<const double> values, const OutlierRule& rule) {
  if (rule.rule != OutlierMethod::kTukey) {
    return stats::modified_z(values, rule.threshold).scores;
  }
  if (values.empty() || !stats::all_finite(values)) {
    return {};
  }
  const double q1 = *stats::quantile(values, 0.25);
  const double q3 = *stats::quantile(values, 0.75);
  const double range = q3 - q1;
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    const double beyond = value > q3 ? value - q3 : value < q1 ? value - q1 : 0.0;
    // With equal quartiles any distance is infinitely many of them; 0 stays 0.
    result.push_back(beyond == 0.0 ? 0.0
                     : range > 0.0 ? beyond / range
                                   : std::copysign(std::numeric_limits<double>::max(), beyond));
  }
  return result;
}

double sum(std::span<const double> values) {
  return stats::pairwise_sum(0, values.size(), [&](std::size_t i) { return values[i]; });
}

// Per 100 steps and relative to the mean; absent with too few steps.
std::optional<double> relative_slope(std::span<const double> values) {
  const std::vector<double> steps(values.begin(), values.end());
  const stats::DriftSlopes drift = stats::drift_slopes({&steps, 1}, 0.95);
  return drift.slope_per_100_steps.empty() ? std::nullopt
                                           : std::optional(drift.slope_per_100_steps.front());
}

// Ends at the first value too many: nearly all trials have more within a few steps.
std::map<double, std::int64_t> count_few(std::span<const double> values) {
  std::map<double, std::int64_t> counts;
  for (const double value : values) {
    ++counts[value];
    if (counts.size() > kMostStepValues) {
      return {};
    }
  }
  return counts;
}

}  // namespace

std::span<const double> measured_values(const SeriesRow& series) {
  const auto warmup = static_cast<std::size_t>(std::max(series.warmup_n, 0));
  const std::span<const double> all = series.values;
  return all.subspan(std::min(warmup, all.size()));
}

std::optional<TrialMetric> summarise_series(const SeriesRow& series) {
  const std::span<const double> values = measured_values(series);
  const std::optional<double> mean = stats::mean(values);
  if (!mean) {
    return std::nullopt;
  }
  std::vector<double> copy(values.begin(), values.end());
  const std::size_t half = (copy.size() - 1) / 2;
  return TrialMetric{.steps = static_cast<std::int64_t>(values.size()),
                     .mean = *mean,
                     .p50 = stats::select_quantile(copy, 0.5),
                     .p95 = stats::select_quantile(copy, 0.95, half),
                     .p99 = stats::select_quantile(copy, 0.99, half),
                     .last = values.back()};
}

StepFlags flag_steps(const SeriesRow& step_times, const OutlierRule& rule) {
  const std::span<const double> values = measured_values(step_times);
  StepFlags flags;
  flags.slope = relative_slope(values);
  flags.values = count_few(values);
  for (std::size_t first = 0; first + kBatchSteps <= values.size(); first += kBatchSteps) {
    flags.batch_means.push_back(sum(values.subspan(first, kBatchSteps)) /
                                static_cast<double>(kBatchSteps));
  }
  const std::vector<double> score = scores(values, rule);
  double flagged_time = 0.0;
  for (std::size_t i = 0; values.size() >= kLeastToClassify && i < score.size(); ++i) {
    if (std::abs(score[i]) > rule.threshold) {
      ++flags.flagged;
      flagged_time += values[i];
    }
  }
  if (flags.flagged > 0) {
    flags.flagged_share = flagged_time / sum(values);
  }
  return flags;
}

void flag_trials(const OutlierRule& rule, CellObservation& cell) {
  const std::vector<double> means = trial_means(cell, kStepTime);
  if (means.size() < kLeastToClassify) {
    return;
  }
  std::vector<double> logs;
  for (const double mean_s : means) {
    logs.push_back(std::log(mean_s));
  }
  constexpr std::size_t share = 3;
  cell.slow_p = stats::high_outliers(logs, (logs.size() + share - 1) / share).p;
  const std::vector<double> score = scores(means, rule);
  std::size_t next = 0;
  for (TrialObservation& trial : cell.trials) {
    if (trial.metrics.contains(kStepTime) && next < score.size()) {
      trial.score = score[next++];
      trial.flagged = std::abs(*trial.score) > rule.threshold;
    }
  }
}

void adjust_slow_p(std::vector<CellObservation>& cells) {
  std::vector<std::optional<double>> p_values;
  p_values.reserve(cells.size());
  for (const CellObservation& cell : cells) {
    p_values.push_back(cell.slow_p);
  }
  const stats::AdjustedP adjusted = stats::holm(p_values);
  for (std::size_t i = 0; i < adjusted.adjusted.size(); ++i) {
    cells[i].slow_p = adjusted.adjusted[i];
  }
}

bool has_rare_slow_trials(const CellObservation& cell) {
  return cell.trials.size() < kTrialsToMeetRareStates && cell.slow_p.value_or(1.0) < kFalseAlarms;
}

std::string format_rule(const OutlierRule& rule) {
  return to_word(rule.rule) + " > " + format_declared(rule.threshold) +
         (rule.rule == OutlierMethod::kTukey ? " IQR" : "");
}

std::vector<FlagRow> flag_rows(const StudyObservation& observation, const OutlierRule& rule) {
  std::vector<FlagRow> rows;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      FlagRow row;
      row.trial_id = trial.row.id;
      row.rule = format_rule(rule);
      if (trial.flagged) {
        row.level = FlagLevel::kTrial;
        row.count = 1;
        row.share = 1.0;
        row.score = trial.score;
        rows.push_back(row);
      }
      if (trial.steps.flagged > 0) {
        row.level = FlagLevel::kStep;
        row.count = trial.steps.flagged;
        row.share = trial.steps.flagged_share;
        row.score.reset();
        rows.push_back(row);
      }
    }
  }
  return rows;
}

std::vector<FlaggedStepsRow> flagged_steps(const StudyObservation& observation) {
  std::vector<FlaggedStepsRow> rows;
  for (const CellObservation& cell : observation.cells) {
    FlaggedStepsRow row;
    row.cell_id = cell.row.id;
    double time_s = 0.0;
    double flagged_time_s = 0.0;
    for (const TrialObservation& trial : cell.trials) {
      const auto step = trial.metrics.find(kStepTime);
      if (step == trial.metrics.end() || !(step->second.mean > 0.0)) {
        continue;  // without a step time, or with one that is none
      }
      const double trial_time_s = step->second.mean * static_cast<double>(step->second.steps);
      ++row.trials;
      row.flagged_trials += trial.steps.flagged > 0 ? 1 : 0;
      row.steps += step->second.steps;
      row.flagged_steps += trial.steps.flagged;
      time_s += trial_time_s;
      flagged_time_s += trial.steps.flagged_share * trial_time_s;
    }
    if (row.flagged_steps > 0) {
      row.share = flagged_time_s / time_s;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace scalestudy

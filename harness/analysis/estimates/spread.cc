#include "harness/analysis/estimates/spread.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/observe/flags.h"
#include "stats/median_interval.h"
#include "stats/planning.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

namespace scalestudy {
namespace {

EstimateRow step_time_row(const CellObservation& cell,
                          Statistic statistic,
                          const std::string& unit,
                          const std::string& method) {
  EstimateRow row;
  row.cell_id = cell.row.id;
  row.metric = kStepTime;
  row.statistic = statistic;
  row.variant = Variant::kAll;
  row.unit = unit;
  row.method = method;
  row.n_excluded = std::ssize(cell.excluded);
  row.n_planned = cell.planned;
  row.definition = definition_of(cell);
  return row;
}

// Batch means of the trials that have at least two.
struct Batches {
  std::vector<std::vector<double>> means;
  TrialIds trials;
};

Batches batches_of(const CellObservation& cell) {
  Batches batches;
  for (const TrialObservation& trial : cell.trials) {
    if (trial.steps.batch_means.size() >= 2) {
      batches.means.push_back(trial.steps.batch_means);
      batches.trials.push_back(trial.row.id);
    }
  }
  std::ranges::sort(batches.trials);
  return batches;
}

// Mean time of a trial that is spent on no measured step; absent where no time was recorded.
std::optional<double> mean_cost_of_launch(const CellObservation& cell) {
  std::vector<double> costs_s;
  for (const TrialObservation& trial : cell.trials) {
    const auto steps = trial.metrics.find(kStepTime);
    if (trial.row.wall_s && steps != trial.metrics.end()) {
      costs_s.push_back(*trial.row.wall_s -
                        static_cast<double>(steps->second.steps) * steps->second.mean);
    }
  }
  return stats::mean(costs_s);
}

void add_share(const CellObservation& cell,
               const Batches& batches,
               std::vector<EstimateRow>& rows) {
  const stats::VarianceComponents parts = stats::variance_components(batches.means);
  EstimateRow row = step_time_row(cell, Statistic::kBetweenTrialsShare, "1", "variance_components");
  row.n = static_cast<std::int64_t>(batches.trials.size());
  row.trials = batches.trials;
  row.status = row_status(parts.status);
  if (parts.var_between && parts.var_within && parts.n0) {
    const double of_mean = *parts.var_between + *parts.var_within / *parts.n0;
    row.value = of_mean > 0.0 ? std::optional(*parts.var_between / of_mean) : std::nullopt;
  }
  rows.push_back(std::move(row));
}

void add_optimal_steps(const CellObservation& cell,
                       const Batches& batches,
                       std::vector<EstimateRow>& rows) {
  const std::optional<double> launch_s = mean_cost_of_launch(cell);
  const std::optional<double> step_s = stats::mean(trial_means(cell, kStepTime));
  if (!launch_s || !step_s || !(*launch_s > 0.0)) {
    return;
  }
  constexpr auto batch = static_cast<double>(kBatchSteps);
  const stats::OptimalSteps optimal =
      stats::kalibera_optimal(batches.means, *launch_s, batch * *step_s);
  EstimateRow row = step_time_row(cell, Statistic::kOptimalSteps, "steps", "kalibera_optimal");
  row.n = static_cast<std::int64_t>(batches.trials.size());
  row.trials = batches.trials;
  row.status = row_status(optimal.status);
  if (optimal.optimal_steps) {
    row.value = batch * static_cast<double>(*optimal.optimal_steps);
  }
  rows.push_back(std::move(row));
}

void add_median(const CellObservation& cell, double confidence, std::vector<EstimateRow>& rows) {
  const std::vector<double> means = trial_means(cell, kStepTime);
  const stats::MedianInterval median = stats::median_ci_order(means, confidence);
  EstimateRow row = step_time_row(cell, Statistic::kMedian, "s", "median_ci_order");
  row.value = median.median;
  row.lo = median.lo;
  row.hi = median.hi;
  row.confidence = median.coverage.value_or(confidence);
  row.n = static_cast<std::int64_t>(means.size());
  row.trials = trials_with(cell, kStepTime);
  row.status = row_status(median.status);
  rows.push_back(std::move(row));
}

}  // namespace

std::vector<EstimateRow> spread_of_cells(const StudyObservation& observation, const Study& study) {
  const double confidence = study.analysis.confidence;
  std::vector<EstimateRow> rows;
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.role != CellRole::kMeasured) {
      continue;
    }
    const Batches batches = batches_of(cell);
    if (!batches.trials.empty()) {
      add_share(cell, batches, rows);
      add_optimal_steps(cell, batches, rows);
    }
    if (has_rare_slow_trials(cell)) {
      add_median(cell, confidence, rows);
    }
  }
  return rows;
}

}  // namespace scalestudy

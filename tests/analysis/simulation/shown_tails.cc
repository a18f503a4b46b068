#include <cmath>
#include <vector>

#include "harness/analysis/estimates/estimates.h"
#include "stats/summary.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/studies.h"

namespace scalestudy::test {
namespace {

// The step time that the share `quantile` of all steps lies below, in every ordinary scenario.
double true_quantile(double quantile) {
  constexpr double step_sd = 0.03;
  constexpr double z95 = 1.6448536269514722;
  constexpr double z99 = 2.3263478740408408;
  return 1.0 + step_sd * (quantile < 0.97 ? z95 : z99);
}

// The fewest steps with which analysis shows an interval.
std::size_t fewest_steps(double quantile, std::size_t trials) {
  return static_cast<std::size_t>(
      std::ceil(std::max(5.0, 2.5 * static_cast<double>(trials)) / (1.0 - quantile) - 1e-6));
}

}  // namespace

Tally run_shown_tails(Scenario scenario,
                      double quantile,
                      std::size_t trials,
                      std::size_t replicates,
                      std::uint64_t seed) {
  const bool is_95 = quantile < 0.97;
  const Statistic statistic = is_95 ? Statistic::kP95 : Statistic::kP99;
  const std::size_t steps = fewest_steps(quantile, trials);
  Study study;
  study.workload = Workload::kTrain;
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    CellObservation cell =
        test::observe_cell(test::make_cell(1, 1, 64), std::vector<double>(trials, 1.0));
    for (TrialObservation& trial : cell.trials) {
      const double value = stats::sorted_quantile(
          stats::sorted_copy(simulate_trial(scenario, noise, steps)), quantile);
      TrialMetric& metric = trial.metrics[kStepTime];
      metric.steps = static_cast<std::int64_t>(steps);
      (is_95 ? metric.p95 : metric.p99) = value;
    }
    for (const EstimateRow& row :
         estimate_cells(test::make_observation({cell}, Scaling::kStrong), study)) {
      if (row.metric == kStepTime && row.statistic == statistic && row.variant == Variant::kAll) {
        const double truth = true_quantile(quantile);
        tally.add(row.lo && *row.lo <= truth && truth <= *row.hi);
      }
    }
  }
  return tally;
}

}  // namespace scalestudy::test

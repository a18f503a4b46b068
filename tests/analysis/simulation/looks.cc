#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/looking.h"
#include "harness/analysis/threats/threats.h"
#include "harness/study/matrix/matrix.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/said_rows.h"
#include "tests/analysis/simulation/studies.h"

namespace scalestudy::test {
namespace {

std::vector<double> trials_of(std::size_t count, double trial_sd, Noise& noise) {
  std::vector<double> times(count);
  for (double& time : times) {
    time = noise.factor(trial_sd);
  }
  return times;
}

}  // namespace

BatchOrderTally run_batch_order(double drift, std::size_t replicates, std::uint64_t seed) {
  constexpr std::size_t trials = 10;
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = OrderDesign::kBatch;
  Noise noise(seed);
  BatchOrderTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> times = trials_of(2 * trials, 0.01, noise);
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] *= 1.0 + drift * static_cast<double>(i) / static_cast<double>(times.size() - 1);
    }
    const std::vector<double> first(times.begin(), times.begin() + trials);
    const std::vector<double> second(times.begin() + trials, times.end());
    const StudyObservation observation =
        test::make_observation({test::observe_cell(test::make_cell(1, 1, 64), first),
                                test::observe_cell(test::make_cell(2, 2, 64), second)},
                               Scaling::kStrong);
    const std::vector<ComparisonRow> comparisons = compare_cells(observation, study);
    tally.covered.add_interval(*comparisons.at(0).lo, *comparisons.at(0).hi, 1.0);
    tally.warned.add(
        has_warning(looking_threats(observation, study, comparisons), ThreatKind::kBatchOrder));
    tally.drifted.add(has_warning(
        steadiness_threats(observation, study, estimate_cells(observation, study), comparisons),
        ThreatKind::kDrift));
  }
  return tally;
}

LookTally run_looks(std::size_t looks, std::size_t replicates, std::uint64_t seed) {
  constexpr std::size_t blocks = 20;
  constexpr double trial_sd = 0.10;  // far beyond the margin: no look calls the cells equivalent
  Study study;
  study.workload = Workload::kTrain;
  Noise noise(seed);
  LookTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> base = trials_of(blocks, trial_sd, noise);
    const std::vector<double> cell = trials_of(blocks, trial_sd, noise);
    bool any = false;
    bool is_warned = true;
    for (std::size_t look = 1; look <= looks; ++look) {
      const std::size_t seen = blocks * look / looks;
      StudyObservation observation = test::make_observation(
          {test::observe_cell(test::make_cell(1, 1, 64),
                              {base.begin(), base.begin() + static_cast<std::ptrdiff_t>(seen)}),
           test::observe_cell(test::make_cell(2, 2, 64),
                              {cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(seen)})},
          Scaling::kStrong);
      for (CellObservation& observed : observation.cells) {
        observed.planned = blocks;
        observed.waiting = static_cast<std::int64_t>(blocks - seen);
      }
      const std::vector<ComparisonRow> comparisons = compare_cells(observation, study);
      const bool is_told =
          has_warning(looking_threats(observation, study, comparisons), ThreatKind::kSequential);
      is_warned = is_warned && is_told == (seen < blocks);
      any = any || is_called(comparisons.at(0));
      if (look == 1) {
        tally.first.add(is_called(comparisons.at(0)));
      }
    }
    tally.any.add(any);
    tally.warned.add(is_warned);
  }
  return tally;
}

VerdictRunTally run_for_verdicts(VerdictRun run, std::size_t replicates, std::uint64_t seed) {
  Study study;
  study.workload = Workload::kTrain;
  study.trials = {.count = run.max, .min = run.min, .until = std::nullopt, .is_for_verdicts = true};
  const auto most = static_cast<std::size_t>(run.max);
  Noise noise(seed);
  VerdictRunTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    StudyObservation all = test::make_observation(
        {test::observe_cell(test::make_cell(1, 1, 64), trials_of(most, run.trial_sd, noise))},
        Scaling::kStrong);
    for (double& speedup : run.speedups) {
      speedup = run.drawn_sd > 0.0 ? noise.factor(run.drawn_sd) : speedup;
      std::vector<double> times = trials_of(most, run.trial_sd, noise);
      for (double& time : times) {
        time /= speedup;
      }
      const auto id = static_cast<std::int64_t>(all.cells.size()) + 1;
      all.cells.push_back(test::observe_cell(test::make_cell(id, id, 64), times));
    }
    for (const std::size_t look : planned_looks(study.trials)) {
      const auto blocks = static_cast<std::int64_t>(look);
      const std::set<std::int64_t> open = open_cells(all, study, blocks);
      for (CellObservation& cell : all.cells) {
        std::erase_if(cell.trials, [&](const TrialObservation& trial) {
          return trial.row.block >= blocks && !open.contains(cell.row.id);
        });
      }
    }
    bool is_false = false;
    for (const ComparisonRow& row : compare_cells(all, study)) {
      if (row.quantity != kSpeedup) {
        continue;
      }
      const double speedup = run.speedups.at(static_cast<std::size_t>(row.cell_id) - 2);
      const bool is_wrong_equal = row.verdict == Verdict::kEquivalent &&
                                  std::abs(std::log(speedup)) >= std::log1p(row.margin);
      is_false = is_false || is_wrong_equal || (speedup == 1.0 && is_called(row));
      tally.covered.add_interval(*row.lo, *row.hi, speedup);
      if (speedup != 1.0) {
        tally.decided.add(is_called(row));
      }
    }
    tally.any_false.add(is_false);
    double trials = 0.0;
    for (const CellObservation& cell : all.cells) {
      trials += static_cast<double>(cell.trials.size());
    }
    tally.trials.push_back(trials);
  }
  return tally;
}

}  // namespace scalestudy::test

#include <algorithm>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/threats/threats.h"
#include "stats/mean_interval.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/said_rows.h"
#include "tests/analysis/simulation/studies.h"

namespace scalestudy::test {
namespace {

// Of 100 steps that vary by 3 %, per 100 steps: 0.03 / sqrt(100^3 / 12) x 100.
constexpr double kSlopeSd = 0.0104;

CellObservation simulate(const CellRow& row,
                         double time_s,
                         const std::vector<double>& blocks,
                         double trial_sd,
                         Noise& noise) {
  std::vector<double> times;
  for (const double block : blocks) {
    times.push_back(time_s * block * noise.factor(trial_sd));
  }
  CellObservation cell = test::observe_cell(row, times);
  for (TrialObservation& trial : cell.trials) {
    trial.steps.slope = kSlopeSd * noise.normal();
  }
  flag_trials({}, cell);
  return cell;
}

StudyObservation simulate_study(const CleanStudy& clean, Noise& noise) {
  std::vector<double> blocks(clean.trials);
  for (double& block : blocks) {
    block = clean.block_sd > 0.0 ? noise.factor(clean.block_sd) : 1.0;
  }
  std::vector<CellObservation> cells;
  const auto add = [&](const CellRow& row) {
    const double time_s = 1.0 / static_cast<double>(row.devices);
    cells.push_back(simulate(row, time_s, blocks, clean.trial_sd, noise));
  };
  for (const std::int64_t batch : {64, 128, 256}) {
    for (const std::int64_t devices : {1, 2}) {
      add(test::make_cell(static_cast<std::int64_t>(cells.size()) + 1, devices, batch));
    }
  }
  add(test::make_control(
      static_cast<std::int64_t>(cells.size()) + 1, cells.front().row, CellRole::kAa));
  adjust_slow_p(cells);
  return test::make_observation(std::move(cells), Scaling::kStrong);
}

void add_marked(const StudyObservation& observation, WordTally& tally) {
  bool is_marked = false;
  for (const CellObservation& cell : observation.cells) {
    CellObservation unflagged = cell;
    if (std::erase_if(unflagged.trials, &TrialObservation::flagged) > 0) {
      is_marked = true;
      const stats::MeanInterval rest =
          stats::mean_ci_t(trial_means(unflagged, kStepTime), 1.0 - kFalseAlarms);
      if (rest.lo) {
        const double truth = 1.0 / static_cast<double>(cell.row.devices);
        tally.unflagged_interval.add(*rest.lo <= truth && truth <= *rest.hi);
      }
    }
  }
  tally.marked.add(is_marked);
}

}  // namespace

WordTally run_words(const CleanStudy& clean, std::size_t replicates, std::uint64_t seed) {
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = clean.in_blocks ? OrderDesign::kBlocks : OrderDesign::kBatch;
  Noise noise(seed);
  WordTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const StudyObservation observation = simulate_study(clean, noise);
    const std::vector<ComparisonRow> comparisons = compare_cells(observation, study);
    const std::vector<ThreatRow> steadiness =
        steadiness_threats(observation, study, estimate_cells(observation, study), comparisons);
    const std::vector<ThreatRow> consistency = consistency_threats(observation, comparisons);
    tally.rare_slow_trials.add(has_warning(steadiness, ThreatKind::kRareSlowTrials));
    tally.drift.add(has_warning(steadiness, ThreatKind::kDrift));
    tally.warm_up.add(has_warning(steadiness, ThreatKind::kWarmUp));
    tally.superlinear.add(has_warning(consistency, ThreatKind::kSuperlinear));
    tally.control_failed.add(has_warning(consistency, ThreatKind::kControlFailed));
    add_marked(observation, tally);
  }
  return tally;
}

}  // namespace scalestudy::test

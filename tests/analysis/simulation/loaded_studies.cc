#include "tests/analysis/simulation/loaded_studies.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/threats/load_effect.h"
#include "tests/analysis/by_hand.h"

namespace scalestudy::test {
namespace {

// Which trials meet load, in the order in which they run: on and off by turns.
std::vector<bool> draw_load(const LoadTruth& truth, Noise& noise) {
  const double begins = truth.share / (1.0 - truth.share) / truth.length;
  std::vector<bool> load(truth.cells * truth.blocks);
  bool is_on = noise.uniform() < truth.share;
  for (auto&& is_loaded : load) {
    is_loaded = is_on;
    is_on = noise.uniform() < (is_on ? 1.0 - 1.0 / truth.length : begins);
  }
  return load;
}

struct Sides {
  std::vector<CellObservation> clean;
  std::vector<CellObservation> met;
};

Sides draw_study(const LoadTruth& truth, Noise& noise) {
  std::vector<double> blocks(truth.blocks);
  for (double& block : blocks) {
    block = noise.factor(0.02);
  }
  const std::vector<bool> load = truth.length > 1.0 ? draw_load(truth, noise) : std::vector<bool>();
  Sides sides;
  for (std::size_t i = 0; i < truth.cells; ++i) {
    std::vector<double> times;
    for (const double block : blocks) {
      times.push_back(block * noise.factor(truth.sd));
    }
    const auto devices = std::int64_t{1} << i;
    sides.clean.push_back(
        observe_cell(make_cell(static_cast<std::int64_t>(i) + 1, devices, 64), times));
    CellObservation& met = sides.met.emplace_back(sides.clean.back());
    for (std::size_t block = 0; block < truth.blocks; ++block) {
      TrialObservation& trial = met.trials[block];
      // Every other block runs the cells in reverse order.
      const std::size_t place = block % 2 == 0 ? i : truth.cells - 1 - i;
      const bool is_loaded =
          load.empty() ? noise.uniform() < truth.share : load[block * truth.cells + place];
      trial.row.foreign_load = is_loaded ? 0.5 : 0.0;
      trial.metrics[kStepTime].mean *=
          is_loaded ? std::pow(truth.slowdown, i == 0 ? truth.at_base : 1.0) : 1.0;
    }
  }
  return sides;
}

bool is_moved(const ComparisonRow& met, const ComparisonRow& clean, double margin) {
  const double shift = std::abs(std::log(*met.value / *clean.value));
  return shift > std::min(0.125 * std::log(*met.hi / *met.lo), 0.5 * std::log1p(margin));
}

LoadReading read_load(const TrialObservation& trial) {
  return trial.row.foreign_load > 0.0 ? LoadReading::kLoaded : LoadReading::kQuiet;
}

bool met_load(const CellObservation& cell) {
  return std::ranges::any_of(cell.trials, [](const TrialObservation& trial) {
    return read_load(trial) == LoadReading::kLoaded;
  });
}

// Whether there is a warning that is not of step times alone.
bool doubts_speedups(const StudyObservation& observation,
                     const Study& study,
                     const Results& results) {
  const LoadEffect effect = load_effect(observation, study, results, {}, read_load);
  return std::ranges::any_of(observation.cells, met_load) && effect.is_warning &&
         !effect.is_of_times;
}

}  // namespace

LoadTally run_loads(const LoadTruth& truth, std::size_t replicates, std::uint64_t seed) {
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = OrderDesign::kBlocks;
  Noise noise(seed);
  LoadTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    Sides sides = draw_study(truth, noise);
    const auto clean =
        compare_cells(make_observation(std::move(sides.clean), Scaling::kStrong), study);
    StudyObservation observation = make_observation(std::move(sides.met), Scaling::kStrong);
    Results results;
    results.estimates = estimate_cells(observation, study);
    results.comparisons = compare_cells(observation, study);
    bool is_harmed = false;
    for (std::size_t i = 0; i < clean.size(); ++i) {
      is_harmed =
          is_harmed || (clean[i].quantity == "speedup" &&
                        is_moved(results.comparisons.at(i), clean[i], study.analysis.margin));
    }
    (is_harmed ? tally.caught : tally.false_alarms)
        .add(doubts_speedups(observation, study, results));
  }
  return tally;
}

}  // namespace scalestudy::test

#include <cmath>
#include <vector>

#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/studies.h"

namespace scalestudy::test {
namespace {

constexpr double kFirst = 8.0;
constexpr double kLadderSd = 0.02;
constexpr double kBlockSd = 0.05;

Study make_study() {
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.0, .along = "batch_global"}};
  return study;
}

std::vector<CellObservation> simulate(const Ladder& ladder, double crossing, Noise& noise) {
  std::vector<double> blocks(ladder.trials);
  for (double& block : blocks) {
    block = noise.factor(kBlockSd);
  }
  const auto arm = [&](double mean_s) {
    std::vector<double> times;
    for (const double block : blocks) {
      times.push_back(mean_s * block * noise.factor(kLadderSd));
    }
    return times;
  };
  std::vector<CellObservation> cells;
  for (int i = 0; i < ladder.values; ++i) {
    const std::int64_t batch = std::llround(kFirst * std::pow(ladder.factor, i));
    const double speedup =
        std::exp(log_speedup(ladder.curve, static_cast<double>(batch), crossing));
    const auto id = static_cast<std::int64_t>(cells.size()) + 1;
    cells.push_back(test::observe_cell(test::make_cell(id, 1, batch), arm(speedup)));
    cells.push_back(test::observe_cell(test::make_cell(id + 1, 2, batch), arm(1.0)));
  }
  return cells;
}

}  // namespace

LadderTally run_ladders(const Ladder& ladder, std::size_t replicates, std::uint64_t seed) {
  const Study study = make_study();
  const double range = std::pow(ladder.factor, ladder.values - 1);
  Noise noise(seed);
  LadderTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const double truth = kFirst * std::pow(range, noise.uniform());
    const StudyObservation observation =
        test::make_observation(simulate(ladder, truth, noise), Scaling::kStrong);
    const ThresholdRow row = find_thresholds(observation, study).at(0);
    const auto holds = [truth](std::optional<double> lo, std::optional<double> hi) {
      return lo.value_or(truth) <= truth && truth <= hi.value_or(truth);
    };
    tally.bracket.add(holds(row.bracket_lo, row.bracket_hi));
    tally.printed.add(row.lo.has_value());
    if (row.lo) {
      tally.interval.add(holds(row.lo, row.hi));
    }
  }
  return tally;
}

}  // namespace scalestudy::test

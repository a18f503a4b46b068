#include <cmath>
#include <vector>

#include "harness/analysis/laws/laws.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/studies.h"

namespace scalestudy::test {

BlockedLawTally run_blocked_laws(bool is_wrong,
                                 double block_sd,
                                 std::size_t replicates,
                                 std::uint64_t seed) {
  constexpr double serial = 0.05;
  constexpr double trial_sd = 0.01;
  constexpr double misfit = 1.03;
  constexpr std::size_t blocks = 10;
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.laws = {Law::kAmdahl};
  Noise noise(seed);
  BlockedLawTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> effects(blocks);
    for (double& effect : effects) {
      effect = noise.factor(block_sd);
    }
    std::vector<CellObservation> cells;
    for (const std::int64_t devices : {1, 2, 4, 8}) {
      const double time_s = (serial + (1.0 - serial) / static_cast<double>(devices)) *
                            (is_wrong && devices == 8 ? misfit : 1.0);
      std::vector<double> times;
      for (const double effect : effects) {
        times.push_back(time_s * effect * noise.factor(trial_sd));
      }
      cells.push_back(test::observe_cell(
          test::make_cell(static_cast<std::int64_t>(cells.size()) + 1, devices, 64), times));
    }
    const LawRow row =
        fit_laws(test::make_observation(std::move(cells), Scaling::kStrong), study).front();
    tally.kept.add(row.status == RowStatus::kOk);
    if (row.status == RowStatus::kOk && row.lo) {
      tally.serial.add_interval(*row.lo, *row.hi, serial);
    }
  }
  return tally;
}

BlockedLawTally run_unequal_laws(const UnequalLaw& law,
                                 std::size_t replicates,
                                 std::uint64_t seed) {
  constexpr double serial = 0.10;
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = law.in_blocks ? OrderDesign::kBlocks : OrderDesign::kBatch;
  study.analysis.laws = {Law::kAmdahl};
  Noise noise(seed);
  BlockedLawTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> effects(law.trials, 1.0);
    for (double& effect : effects) {
      effect = law.in_blocks ? noise.factor(0.05) : 1.0;
    }
    std::vector<CellObservation> cells;
    for (const std::int64_t devices : law.devices) {
      const double sd = devices == law.devices.back() ? 0.30 : 0.03;
      const double mean_s = serial + (1.0 - serial) / static_cast<double>(devices);
      std::vector<double> times;
      for (const double effect : effects) {
        times.push_back(mean_s * effect * noise.factor(sd) * std::exp(-0.5 * sd * sd));
      }
      cells.push_back(test::observe_cell(
          test::make_cell(static_cast<std::int64_t>(cells.size()) + 1, devices, 64), times));
    }
    const LawRow row =
        fit_laws(test::make_observation(std::move(cells), Scaling::kStrong), study).front();
    tally.kept.add(row.status != RowStatus::kRejected);
    if (row.status != RowStatus::kRejected) {
      const bool holds = row.lo && *row.lo <= serial && serial <= *row.hi;
      tally.serial.add(holds);
    }
  }
  return tally;
}

}  // namespace scalestudy::test

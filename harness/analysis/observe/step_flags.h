// What stands out among the steps of a trial, and those that recur in a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace scalestudy {

// Steps that the study's outlier rule marks in one trial, and the trend of its step time.
struct StepFlags {
  std::int64_t flagged = 0;
  double flagged_share = 0.0;  // share of the measured steps' time
  // Slope and batch means are those of the slowest rank if it is known, else over all ranks. Steps
  // of the cell's period are left out of the slope.
  std::optional<double> slope;  // change of step time per 100 steps, relative to the trial's mean
  // Means over kBatchSteps steps each, in s; remaining steps are left out.
  std::vector<double> batch_means = {};
  // How many steps took each time, over all ranks; empty if there are more than kMostStepValues
  // different times.
  std::map<double, std::int64_t> values = {};
};
inline constexpr std::size_t kMostStepValues = 10;

// Steps at a fixed distance that take longer than the others.
struct StepPeriod {
  std::size_t steps = 0;    // from one to the next
  double factor = 0.0;      // mean time of these steps over that of the others
  double share = 0.0;       // of the time of all steps
  double p = 1.0;           // Holm over the cells
  std::int64_t trials = 0;  // long enough for two of them
};

}  // namespace scalestudy

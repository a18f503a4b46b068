// The file of steps of a checkpoint: for each step a row of numbers, which are its times, how long
// each of its collectives took, and the loss.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/train/times/state.h"

namespace scalestudy::train {

// Numbers of a row.
inline std::size_t row_size(const State& state) {
  return kFieldCount + state.collectives + 1;
}

// The rows of steps begin to end - 1, which are done and whose times have been read.
std::vector<double> rows_of(const State& state, std::size_t begin, std::size_t end);

// The steps of rows, from the first step on; writes their losses to those of the state.
RankSteps steps_of(std::span<const double> rows, const State& state);

}  // namespace scalestudy::train

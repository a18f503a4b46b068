// What a rank of a run must keep so that another process can go on from its last step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "workloads/device/data_type.h"
#include "workloads/train/times/step_timer.h"

namespace scalestudy::train {

// The state between two steps, in the host's memory (for a GPU a copy); valid as long as the
// trainer that gave it.
struct State {
  // The parameters that this rank updates, then the optimizer's state of them; in the same order
  // and with the same sizes in every process of a run.
  std::vector<std::span<std::byte>> model = {};
  bool is_finite = true;          // whether all parameters are finite
  bool is_replicated = false;     // the same bits on every rank, so that only one has to write them
  std::span<double> losses = {};  // of each step, this rank's part
  std::size_t collectives = 0;    // collectives of a step that are timed
  StepTimer* timer = nullptr;
  double copy_s = 0.0;  // time of copying it from a GPU; part of the time of a save
};

// Adds a block of parameters.
template <typename T>
void add_parameters(std::span<T> block, State& state) {
  state.model.push_back(std::as_writable_bytes(block));
  state.is_finite = state.is_finite && std::ranges::all_of(block, [](T value) {
                      return std::isfinite(static_cast<device::Real<T>>(value));
                    });
}

}  // namespace scalestudy::train

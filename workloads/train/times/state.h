// What a rank of a run must keep for another process to go on from its last step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "workloads/device/data_type.h"
#include "workloads/train/times/step_timer.h"

namespace scalestudy::train {

// Host memory of the trainer, between two steps, of a GPU a copy; it lives as long as that.
struct State {
  // Parameters that this rank updates, then the optimizer's state of them; in the same order and of
  // the same sizes in every process of a run.
  std::vector<std::span<std::byte>> model = {};
  bool is_finite = true;       // that the parameters are
  bool is_replicated = false;  // the same bits on every rank, so that one of them has to be written
  std::span<double> losses = {};  // of each step, this rank's part
  std::size_t collectives = 0;    // of a step that are timed
  StepTimer* timer = nullptr;
  double copy_s = 0.0;  // what copying it from a GPU took; part of the time of a save
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

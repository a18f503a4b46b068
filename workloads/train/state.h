// What a rank of a run must keep for another process to go on from its last step.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/train/step_timer.h"

namespace scalestudy::train {

// Host memory of the trainer, between two steps; it lives as long as that.
struct State {
  // Parameters that this rank updates, then the optimizer's state of them; in the same order and of
  // the same sizes in every process of a run.
  std::vector<std::span<std::byte>> model = {};
  bool is_finite = true;       // that the parameters are
  bool is_replicated = false;  // the same bits on every rank, so that one of them has to be written
  std::span<double> losses = {};  // of each step, this rank's part
  std::size_t collectives = 0;    // of a step that are timed
  StepTimer* timer = nullptr;
};

}  // namespace scalestudy::train

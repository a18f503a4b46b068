// The part of a rank's state that it updates, for its checkpoints.
#pragma once

#include <span>
#include <vector>

#include "workloads/sync/strategy.h"
#include "workloads/train/device/host_copies.h"
#include "workloads/train/step/updater.h"
#include "workloads/train/times/state.h"

namespace scalestudy::train {

// Adds the parameters of all parts to `state`, then the optimizer's state of them.
// - copies: of the device that the parameters are on.
// - parameters: the buffer that the parts point into.
template <typename T>
void add_updated(HostCopies& copies,
                 const std::vector<sync::Part>& parts,
                 std::span<T> parameters,
                 const Updater<T>& updater,
                 State& state) {
  for (const sync::Part& part : parts) {
    add_parameters(copies.of(parameters.subspan(part.parameters, part.count)), state);
  }
  for (const std::span<std::byte> block : updater.state()) {
    state.model.push_back(updater.is_on_host() ? block : copies.of(block));
  }
  state.copy_s = copies.take_time_s();
}

}  // namespace scalestudy::train

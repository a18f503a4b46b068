// What a rank's memory will hold, known before any is taken.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/rank/world.h"
#include "workloads/train/options.h"

namespace scalestudy::train {

// Bytes. Exact for the CPU: their sum is Trainer::peak_bytes(). On a GPU the workspaces of its
// libraries differ.
struct MemoryEstimate {
  std::size_t parameters = 0;   // those the model computes with
  std::size_t gradients = 0;    // with those of earlier micro-steps, and what travels for them
  std::size_t optimizer = 0;    // its state, and master values of 16-bit parameters
  std::size_t activations = 0;  // what backward needs, gradients of it, and workspaces
  std::size_t data = 0;         // batches, and the loss of every step

  std::size_t total() const { return parameters + gradients + optimizer + activations + data; }
};

// Takes address space, no memory.
MemoryEstimate estimate_memory(const Options& options);

// Those of the run's model.
std::vector<model::Unit> plan_units(const Options& options);

// "30.1 GB a rank: parameters 6.0 GB, gradients 6.0 GB, optimizer 12.1 GB, activations 6.0 GB, data
// 0.1 MB"
std::string format_memory(const MemoryEstimate& estimate);

// Throws WorkloadError (out of memory) with the estimate when it, times the ranks that share the
// memory, is more than is available. Not where that is not known, and not for a GPU, of which the
// estimate is no bound. Collective: every rank calls.
void check_memory(const Options& options, const rank::World& world);

// Throws WorkloadError (out of memory) with the estimate: for a device that had no room.
[[noreturn]] void throw_device_full(const Options& options);

}  // namespace scalestudy::train

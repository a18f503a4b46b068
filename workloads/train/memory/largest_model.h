// How large a model may be before a device is full, calculated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

inline constexpr std::size_t kMostTriedLayers = 64;  // of model.layers, which may be more

struct LargestModel {
  std::string name;        // "zero1", "zero1.checkpoint_every.offload" with these
  std::size_t layers = 0;  // model.layers, kMostTriedLayers at most; 0: not even one fits
  std::size_t parameters = 0;
  std::size_t memory_bytes = 0;
  std::size_t host_bytes = 0;  // pinned by a rank
};

// The run's model with as many layers or blocks as fit into `bytes` on each rank: one entry for
// each of the strategies ddp, zero1, zero2, fsdp and pipeline that goes with the other parameters;
// and, unless the run has these already, entries with activations computed again (checkpoint_every
// 1), on a GPU with the optimizer in the host's memory (offload), and with both. Empty for a family
// without model.layers.
// - texts: as merge() returned them.
// - throws: as complete() if the parameters go with no strategy.
std::vector<LargestModel> largest_models(const Texts& texts, int ranks, double bytes);

// The same of the run's own strategy and parameters, without a name; nullopt for a family without
// model.layers.
std::optional<LargestModel> largest_model(const Texts& texts, int ranks, double bytes);

}  // namespace scalestudy::train

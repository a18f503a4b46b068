// What a rank's memory will hold, known before any is taken.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Bytes of a rank, by what they are for.
struct Memory {
  std::size_t parameters = 0;   // that a rank keeps: all, or its share
  std::size_t gradients = 0;    // likewise, with those of earlier micro-steps
  std::size_t optimizer = 0;    // its state, and master values of 16-bit parameters
  std::size_t activations = 0;  // what backward needs, gradients of it, and workspaces
  std::size_t buffers = 0;      // what travels for gradients, and where shared units are whole
  std::size_t data = 0;         // batches, held-out samples, and the loss of every step
  std::size_t host = 0;         // pinned memory of a GPU's host: beside the total

  std::size_t total() const {
    return parameters + gradients + optimizer + activations + buffers + data;
  }
};

// Calculated. Exact for the CPU: each is what Trainer::memory() has counted. On a GPU the
// workspaces of its libraries differ. Takes address space, no memory. Of a pipeline, options of
// for_rank().
Memory estimate_memory(const Options& options);

// The most that a rank pins of the host's memory: of a pipeline's stages not always the one that
// takes the most of its device.
std::size_t most_host_bytes(const Options& options);

// What so many ranks of a machine pin of its memory: of stages all that they do, where all are
// there, at most elsewhere.
std::size_t pinned_bytes(const Options& options, std::size_t ranks);

// What all ranks' checkpoints take of the machine's memory while one replaces another, at most: 0
// where they are not kept there (save_dir, else the folder for temporary files), or nothing is
// saved.
std::size_t checkpoint_memory_bytes(const Options& options);

// The same numbers by name: "parameters" and so on.
std::map<std::string, std::size_t> parts_of(const Memory& memory);

// The stage of a pipeline that needs the most memory (estimate_memory()); 0 without a pipeline.
std::size_t largest_stage(const Options& options);

// Options of for_rank() of the rank that needs the most memory: that of the largest stage, or the
// one whose share of the batch is largest.
Options of_largest_rank(const Options& options);

// "30.1 GB"
std::string format_bytes(std::size_t bytes);

// "30.1 GB a rank: parameters 6.0 GB, gradients 6.0 GB, optimizer 12.1 GB, activations 6.0 GB,
// buffers 0 B, data 0.1 MB"; what is in the host's behind it, where something is
std::string format_memory(const Memory& estimate);

// Throws WorkloadError (out of memory) with the estimate when it, times the ranks that share the
// memory, and with their checkpoints, is more than is available, or it is more than the options'
// device memory. Not where these are not known; of a GPU's memory what is available is not asked,
// of which the estimate is no bound: there it is the host's, which ranks pin. Collective: every
// rank calls.
void check_memory(const Options& options, const rank::World& world);

// Throws WorkloadError (out of memory) with the estimate: for a device that had no room.
[[noreturn]] void throw_device_full(const Options& options);

}  // namespace scalestudy::train

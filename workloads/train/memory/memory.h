// What a rank's memory will hold, known before any is taken.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Bytes of a rank, by their purpose.
struct Memory {
  std::size_t parameters = 0;   // all, or the rank's share
  std::size_t gradients = 0;    // all, or the rank's share; with those of earlier micro-steps
  std::size_t optimizer = 0;    // its state, and master values of 16-bit parameters
  std::size_t activations = 0;  // what backward needs, gradients of it, and workspaces
  std::size_t buffers = 0;      // for gradients on their way, and for shared units made whole
  std::size_t data = 0;         // batches, held-out samples, and the loss of every step
  std::size_t host = 0;         // pinned memory of a GPU's host: beside the total

  std::size_t total() const {
    return parameters + gradients + optimizer + activations + buffers + data;
  }
};

// Calculates the memory of a rank before any is taken; takes address space, no memory. Exact for
// the CPU: each number is what Trainer::memory() counts. On a GPU the workspaces of its libraries
// differ.
// - options: with a pipeline, those of for_rank().
Memory estimate_memory(const Options& options);

// The most bytes of the host's memory that a rank pins. In a pipeline that is not always the stage
// that takes the most of its device.
std::size_t most_host_bytes(const Options& options);

// The most bytes of its memory that this many ranks of a machine pin; exact if all stages of a
// pipeline are on it.
std::size_t pinned_bytes(const Options& options, std::size_t ranks);

// The most bytes of the machine's memory that all ranks' checkpoints take while one replaces
// another. 0 if nothing is saved or their folder (save_dir, else that for temporary files) is not
// in memory.
std::size_t checkpoint_memory_bytes(const Options& options);

// The parts of the total by name: "parameters" and so on.
std::map<std::string, std::size_t> parts_of(const Memory& memory);

// The stage of a pipeline that needs the most memory (estimate_memory()); 0 without a pipeline.
std::size_t largest_stage(const Options& options);

// Options of for_rank() of the rank that needs the most memory: that of the largest stage, or the
// one whose share of the batch is largest.
Options of_largest_rank(const Options& options);

// Bytes for people: "28.1 GiB".
std::string format_bytes(std::size_t bytes);

// "28.1 GiB a rank: parameters 5.6 GiB, gradients 5.6 GiB, optimizer 11.3 GiB, activations 5.6 GiB,
// buffers 0 B, data 0.1 MiB"; then the host's part, if there is one.
std::string format_memory(const Memory& estimate);

// Throws WorkloadError (out of memory) with the estimate if it exceeds the options' device memory,
// or if the ranks that share a memory need more, with their checkpoints, than is available. Limits
// that are not known are not checked. On a GPU the available memory is that of the host, which
// ranks pin; the GPU's own is not asked, because the estimate is no bound for it. Collective: every
// rank calls.
void check_memory(const Options& options, const rank::World& world);

// Throws WorkloadError (out of memory) with the estimate: for a device that had no room.
[[noreturn]] void throw_device_full(const Options& options);

}  // namespace scalestudy::train

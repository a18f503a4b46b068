// What a rank computes on and communicates with: the CPU, or a GPU through the CUDA module.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/comm/messages.h"
#include "workloads/cuda/driver_memory.h"
#include "workloads/device/arena.h"
#include "workloads/device/device.h"
#include "workloads/device/upload.h"
#include "workloads/ops/ops.h"
#include "workloads/rank/world.h"
#include "workloads/sync/buckets.h"
#include "workloads/train/device/host_side.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The rank's own device: on a machine with several GPUs the one of its rank on that machine.
// Sets what the libraries of a GPU read from the environment, and so comes before anything else
// that loads them. Throws WorkloadError (unsupported) where there is no such device, (usage) where
// the environment says otherwise than the options.
std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world);

// Whether ranks share a GPU: such a run shows that the program works, not how fast it is.
// Collective: every rank calls.
bool shares_device(const Options& options, const rank::World& world);

// What this process holds of its GPU's memory by the driver; nullopt on CPU cores, and where it
// does not tell. After make_device().
std::optional<cuda::HeldMemory> held_memory(const Options& options, const rank::World& world);

// Where a thread runs that does not compute: on cores of its own, or else on all of the rank's.
std::vector<int> spare_cores(const Options& options, const rank::World& world);

// T is what the options' precision computes in; `arena` is on make_device()'s and outlives the
// operations, as does `world`. On a GPU, every rank runs each operation for the first time in the
// same order, on the main thread: rank 0 chooses algorithms for all. Stages of a pipeline, which
// have operations of their own, choose for themselves.
template <typename T>
std::unique_ptr<ops::Ops<T>> make_ops(const Options& options,
                                      const rank::World& world,
                                      device::Arena& arena);

// Where the optimizer is offloaded, the memory it goes to; else nullptr. Throws WorkloadError
// (unsupported) where the device's memory is the host's.
template <typename T>
std::unique_ptr<HostSide<T>> make_host_side(const Options& options);

// How batches that the host decodes come to a GPU.
struct Uploads {
  std::unique_ptr<device::Device> memory;  // pinned
  std::unique_ptr<device::Arena> arena;    // of it
  std::unique_ptr<device::Upload> copies;
};

// nullptr where the device's memory is the host's.
std::unique_ptr<Uploads> make_uploads(device::Device& device, std::size_t slots);

struct Communication {
  // What comm mpi_staged sends through, else none.
  std::unique_ptr<device::Device> host_device;
  std::unique_ptr<comm::Comm> host;
  std::unique_ptr<comm::Comm> gradients;  // destroyed before the others
};

// Collective: every rank calls.
//   largest_bytes  of what is summed at once
Communication make_communication(const Options& options,
                                 const rank::World& world,
                                 device::Device& device,
                                 std::size_t slot_count,
                                 std::size_t largest_bytes);

struct StageMessages {
  std::unique_ptr<comm::Messages> host;  // what comm mpi_staged sends through, else nullptr
  std::unique_ptr<comm::Messages> own;   // destroyed before the other
};

// Between stages of a pipeline, which do not go with noop. Collective: every rank calls.
//   largest_bytes  of a message
//   distance       between ranks that send to each other
StageMessages make_messages(const Options& options,
                            const rank::World& world,
                            device::Device& device,
                            std::size_t slot_count,
                            std::size_t largest_bytes,
                            int distance);

}  // namespace scalestudy::train

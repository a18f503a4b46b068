// Makes what a rank computes and communicates with: the CPU, or a GPU through the CUDA module.
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

// The rank's own device: on a machine with several GPUs the one of its rank on that machine. Sets
// variables that a GPU's libraries read, and must therefore come before anything that loads them.
// Throws WorkloadError: (unsupported) there is no such device; (usage) the environment contradicts
// the options.
std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world);

// Throws WorkloadError: (unsupported) the backend is CPU cores that do not compute the precision;
// (usage) the environment allows fewer threads than the options.
void check_arithmetic(const Options& options);

// Whether ranks share a GPU: such a run shows that the program works, not how fast it is.
// Collective: every rank calls.
bool shares_device(const Options& options, const rank::World& world);

// The memory that this process holds of its GPU, as the driver tells; nullopt on CPU cores and if
// it does not tell. Call it after make_device().
std::optional<cuda::HeldMemory> held_memory(const Options& options, const rank::World& world);

// The cores for a thread that does not compute: those that compute nothing, or else all of the
// rank's.
std::vector<int> spare_cores(const Options& options, const rank::World& world);

// The operations of the rank's device. T is the type in which the options' precision computes;
// `arena` is on the device of make_device() and outlives the operations, as does `world`. On a GPU,
// every rank runs each operation for the first time in the same order, on the main thread: rank 0
// chooses algorithms for all. Stages of a pipeline, which have operations of their own, choose for
// themselves.
template <typename T>
std::unique_ptr<ops::Ops<T>> make_ops(const Options& options,
                                      const rank::World& world,
                                      device::Arena& arena);

// The host memory of an offloaded optimizer; nullptr if it is not offloaded. Throws WorkloadError
// (unsupported) if the device's memory is the host's.
template <typename T>
std::unique_ptr<HostSide<T>> make_host_side(const Options& options);

// The way of batches that the host decodes to a GPU.
struct Uploads {
  std::unique_ptr<device::Device> memory;  // pinned
  std::unique_ptr<device::Arena> arena;    // of `memory`
  std::unique_ptr<device::Upload> copies;
};

// Uploads to the device; nullptr if the device's memory is the host's.
std::unique_ptr<Uploads> make_uploads(device::Device& device, std::size_t slots);

struct Communication {
  // What comm mpi_staged sends through; nullptr for others.
  std::unique_ptr<device::Device> host_device;
  std::unique_ptr<comm::Comm> host;
  std::unique_ptr<comm::Comm> gradients;  // destroyed before the others
};

// The communication of training. Collective: every rank calls.
// - largest_bytes: the most that is summed at once.
Communication make_communication(const Options& options,
                                 const rank::World& world,
                                 device::Device& device,
                                 std::size_t slot_count,
                                 std::size_t largest_bytes);

struct StageMessages {
  std::unique_ptr<comm::Messages> host;  // what comm mpi_staged sends through; else nullptr
  std::unique_ptr<comm::Messages> own;   // destroyed before the other
};

// The messages between stages of a pipeline, which do not go with comm noop. Collective: every rank
// calls.
// - largest_bytes: of a message.
// - distance: between ranks that send to each other.
StageMessages make_messages(const Options& options,
                            const rank::World& world,
                            device::Device& device,
                            std::size_t slot_count,
                            std::size_t largest_bytes,
                            int distance);

}  // namespace scalestudy::train

// What a rank's buffers are on and what works on them: the CPU and MPI, or a GPU and NCCL.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "workloads/collective/options.h"
#include "workloads/comm/collective.h"
#include "workloads/device/device.h"
#include "workloads/device/triad.h"
#include "workloads/rank/world.h"

namespace scalestudy::collective {

// The rank's own device. Throws WorkloadError (unsupported) with the reason where there is none.
std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world);

// The operation on buffers of `device`, of sizes that layout_of() gives; they outlive it.
// Collective: every rank calls. Throws WorkloadError.
std::unique_ptr<comm::Collective> make_operation(const Options& options,
                                                 const rank::World& world,
                                                 device::Device& device,
                                                 std::span<const float> send,
                                                 std::span<float> receive);

// On the device's memory; nullptr where none runs beside the operation.
std::unique_ptr<device::Triad> make_triad(const Options& options, device::Device& device);

// Bytes to copy when this rank's memory is timed: beyond the caches of most machines, and on a GPU
// enough for a copy to take far longer than its launch, but at most 1/64 of its memory.
std::size_t copy_bytes(const Options& options, const rank::World& world);

// Whether ranks share cores or a GPU: such a run shows that the program works, not how fast it is.
// Collective: every rank calls.
bool is_oversubscribed(const Options& options, const rank::World& world);

// Of this rank's GPU: device_memory_bytes, device_memory_bytes_per_s (theoretical, absent where the
// driver does not tell it), device_multiprocessors, device_compute_capability; and of the GPUs that
// ranks of its machine use, by ordinal, peer_access_0_1 ...: 1 where the first reaches the second's
// memory directly. None on the CPU.
std::map<std::string, double> device_facts(const Options& options, const rank::World& world);

// Of the libraries on the way: mpi, and with a GPU those of Backend::versions().
std::map<std::string, std::string> library_versions(const Options& options);

}  // namespace scalestudy::collective

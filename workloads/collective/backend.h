// Where a rank's buffers are and what moves them: the CPU with MPI or shared memory, or a GPU with
// NCCL.
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

// The rank's own device. Throws WorkloadError (unsupported) with the reason if there is none.
std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world);

// The operation on `send` and `receive`, buffers of `device` with the sizes of layout_of(), which
// outlive the operation. Collective: every rank calls. Throws WorkloadError.
std::unique_ptr<comm::Collective> make_operation(const Options& options,
                                                 const rank::World& world,
                                                 device::Device& device,
                                                 std::span<const float> send,
                                                 std::span<float> receive);

// The triad in the device's memory; nullptr if none runs beside the operation.
std::unique_ptr<device::Triad> make_triad(const Options& options, device::Device& device);

// Bytes to copy when this rank's memory is timed: beyond the caches of most machines, and on a GPU
// enough for a copy to take far longer than its launch, but at most 1/64 of its memory.
std::size_t copy_bytes(const Options& options, const rank::World& world);

// Whether ranks share cores or a GPU: such a run shows that the program works, not how fast it is.
// Collective: every rank calls.
bool is_oversubscribed(const Options& options, const rank::World& world);

// Facts of the start event; empty on the CPU. About this rank's GPU: device_memory_bytes,
// device_memory_bytes_per_s (theoretical, absent if the driver does not tell it),
// device_multiprocessors, device_compute_capability. About each two GPUs that ranks of its machine
// use, by ordinal: peer_access_0_1 ..., 1 if the first reaches the second's memory directly.
std::map<std::string, double> device_facts(const Options& options, const rank::World& world);

// Versions of the libraries in use: mpi, and with a GPU those of Backend::versions().
std::map<std::string, std::string> library_versions(const Options& options);

}  // namespace scalestudy::collective

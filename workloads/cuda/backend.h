// What the CUDA module offers to the programs, which load it on demand and never link CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "workloads/comm/nccl.h"
#include "workloads/cuda/driver_memory.h"
#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"
#include "workloads/device/device.h"
#include "workloads/device/interface.h"
#include "workloads/device/triad.h"
#include "workloads/device/upload.h"
#include "workloads/ops/cuda/cuda_ops.h"

namespace scalestudy::cuda {

// The version of the interfaces that cross the module's border, raised with every change of one.
inline constexpr std::uint32_t kBackendVersion = 11;

struct DeviceFacts {
  std::string name;        // "NVIDIA H200"
  std::string pci_bus_id;  // "0000:1b:00.0"
  std::size_t memory_bytes = 0;
  int compute_major = 0;  // compute capability 9.0 is 9, 0
  int compute_minor = 0;
  int multiprocessors = 0;
  double clock_hz = 0.0;  // the highest the driver allows
  // Theoretical: memory clock, bus width, two transfers a clock. nullopt where the driver does not
  // tell the clock.
  std::optional<double> memory_bytes_per_s;
};

// One thread calls. Whatever a device makes belongs to it: the device outlives its operations and
// communicators. Errors are WorkloadError with the call, its message and where it was made.
class Backend : public device::Interface {
 public:
  // Devices this process may use, >= 1. Throws WorkloadError (unsupported) with the driver's reason
  // when there is none.
  virtual int device_count() const = 0;
  // ordinal  in [0, device_count()).
  virtual DeviceFacts facts(int ordinal) const = 0;
  // Whether `from` reaches the memory of `to` directly (NVLink or PCIe).
  virtual bool can_access_peer(int from, int to) const = 0;

  // Versions of loaded libraries: cuda_runtime, cuda_driver, cublas, cudnn, nccl -> "13.0",
  // "2.28.9".
  virtual std::map<std::string, std::string> versions() const = 0;

  virtual std::unique_ptr<device::Device> make_device(int ordinal) = 0;
  // The memory that this process holds of a device of make_device(), as the driver tells; nullopt
  // if it does not.
  virtual std::optional<HeldMemory> held_memory(int ordinal) const = 0;
  // Pinned memory of the host (workloads/device/pinned_memory.h).
  virtual std::unique_ptr<device::Device> make_pinned_memory() = 0;
  // See workloads/device/upload.h.
  virtual std::unique_ptr<device::Upload> make_upload(device::Device& device,
                                                      std::size_t slots) = 0;
  // See workloads/device/triad.h.
  virtual std::unique_ptr<device::Triad> make_triad(device::Device& device) = 0;

  // `arena` is on a device that make_device() returned and outlives the operations; their common
  // workspaces come from it at once.
  virtual std::unique_ptr<ops::Ops<float>> make_float_ops(device::Arena& arena,
                                                          const ops::CudaOptions& options) = 0;
  virtual std::unique_ptr<ops::Ops<device::Bf16>> make_bf16_ops(
      device::Arena& arena, const ops::CudaOptions& options) = 0;
  virtual std::unique_ptr<ops::Ops<device::Half>> make_half_ops(
      device::Arena& arena, const ops::CudaOptions& options) = 0;

  virtual comm::NcclId make_nccl_id() = 0;
  // make_nccl_comm() and make_nccl_collective() are collective: every rank calls with the same id.
  virtual std::unique_ptr<comm::Comm> make_nccl_comm(device::Device& device,
                                                     const comm::NcclOptions& options,
                                                     std::size_t slot_count) = 0;
  virtual std::unique_ptr<comm::Collective> make_nccl_collective(device::Device& device,
                                                                 const comm::NcclOptions& options,
                                                                 comm::Operation operation,
                                                                 std::span<const float> send,
                                                                 std::span<float> receive) = 0;
  // Device memory through pinned host memory and `host` (workloads/comm/staged.h).
  virtual std::unique_ptr<comm::Comm> make_staged_comm(device::Device& device,
                                                       comm::Comm& host,
                                                       std::size_t capacity_bytes) = 0;
  // Collective, like make_nccl_comm().
  virtual std::unique_ptr<comm::Messages> make_nccl_messages(device::Device& device,
                                                             const comm::NcclOptions& up,
                                                             const comm::NcclOptions& down,
                                                             std::size_t slot_count,
                                                             int distance) = 0;
  virtual std::unique_ptr<comm::Messages> make_staged_messages(device::Device& device,
                                                               comm::Messages& host,
                                                               std::size_t slot_count,
                                                               std::size_t capacity_bytes) = 0;
};

// The one symbol of libscalestudy_cuda.so; nullptr when it was built for another version. The
// result lives until the process ends.
extern "C" Backend* scalestudy_cuda_backend(std::uint32_t version);
inline constexpr const char* kBackendSymbol = "scalestudy_cuda_backend";

// Loads libscalestudy_cuda.so from lib/ beside the program's folder, once; later calls return the
// same backend. The process keeps it until it ends.
// Throws WorkloadError (unsupported) with the reason: no module in this build, a library it needs
// is missing, built for another version, no device.
Backend& load_backend();

}  // namespace scalestudy::cuda

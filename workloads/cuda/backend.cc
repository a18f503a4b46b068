// The module's side of backend.h.
#include "workloads/cuda/backend.h"

#include <array>

#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

#include "workloads/comm/staged.h"
#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"
#include "workloads/device/pinned_memory.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::cuda {
namespace {

// 13000 is CUDA 13.0.
std::string cuda_version(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

// 22809 is NCCL 2.28.9, 91900 is cuDNN 9.19.0.
std::string packed_version(int version) {
  return std::to_string(version / 10000) + '.' + std::to_string(version % 10000 / 100) + '.' +
         std::to_string(version % 100);
}

class CudaBackend final : public Backend {
 public:
  int device_count() const override {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (count == 0) {
      throw rank::WorkloadError(protocol::kExitUnsupported,
                                "there is no GPU (CUDA_VISIBLE_DEVICES may hide them)");
    }
    return count;
  }

  DeviceFacts facts(int ordinal) const override {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    std::array<char, 32> bus_id{};
    CUDA_CHECK(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), ordinal));
    constexpr double hz_per_khz = 1e3;
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8.0;
    const double memory_bytes_per_s =
        2.0 * hz_per_khz * attribute(cudaDevAttrMemoryClockRate, ordinal) * bus_bytes;
    return {.name = properties.name,
            .pci_bus_id = bus_id.data(),
            .memory_bytes = properties.totalGlobalMem,
            .compute_major = attribute(cudaDevAttrComputeCapabilityMajor, ordinal),
            .compute_minor = attribute(cudaDevAttrComputeCapabilityMinor, ordinal),
            .multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal),
            .clock_hz = hz_per_khz * attribute(cudaDevAttrClockRate, ordinal),
            .memory_bytes_per_s =
                memory_bytes_per_s > 0.0 ? std::optional(memory_bytes_per_s) : std::nullopt};
  }

  bool can_access_peer(int from, int to) const override {
    int can = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
    return can != 0;
  }

  std::map<std::string, std::string> versions() const override {
    int runtime = 0;
    int driver = 0;
    int nccl = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    // It cannot fail with a place to write to, and has no words of its own to report.
    ncclGetVersion(&nccl);
    return {{"cuda_runtime", cuda_version(runtime)},
            {"cuda_driver", cuda_version(driver)},
            {"cublas", std::to_string(cublasLtGetVersion())},
            {"cudnn", packed_version(static_cast<int>(cudnnGetVersion()))},
            {"nccl", packed_version(nccl)}};
  }

  std::unique_ptr<device::Device> make_device(int ordinal) override {
    if (!memories_.contains(ordinal)) {  // the first has made the context of them all
      memories_.try_emplace(ordinal, facts(ordinal).pci_bus_id);
    }
    return std::make_unique<device::CudaDevice>(ordinal);
  }
  std::optional<HeldMemory> held_memory(int ordinal) const override {
    const auto memory = memories_.find(ordinal);
    return memory == memories_.end() ? std::nullopt : memory->second.held();
  }
  std::unique_ptr<device::Device> make_pinned_memory() override {
    return device::make_pinned_memory();
  }
  std::unique_ptr<device::Upload> make_upload(device::Device& device, std::size_t slots) override {
    return device::make_upload(device, slots);
  }
  std::unique_ptr<device::Triad> make_triad(device::Device& device) override {
    return device::make_cuda_triad(device);
  }

  std::unique_ptr<ops::Ops<float>> make_float_ops(device::Arena& arena,
                                                  const ops::CudaOptions& options) override {
    return ops::make_cuda_ops<float>(arena, options);
  }
  std::unique_ptr<ops::Ops<device::Bf16>> make_bf16_ops(device::Arena& arena,
                                                        const ops::CudaOptions& options) override {
    return ops::make_cuda_ops<device::Bf16>(arena, options);
  }
  std::unique_ptr<ops::Ops<device::Half>> make_half_ops(device::Arena& arena,
                                                        const ops::CudaOptions& options) override {
    return ops::make_cuda_ops<device::Half>(arena, options);
  }

  comm::NcclId make_nccl_id() override { return comm::make_nccl_id(); }
  std::unique_ptr<comm::Comm> make_nccl_comm(device::Device& device,
                                             const comm::NcclOptions& options,
                                             std::size_t slot_count) override {
    return comm::make_nccl_comm(device, options, slot_count);
  }
  std::unique_ptr<comm::Collective> make_nccl_collective(device::Device& device,
                                                         const comm::NcclOptions& options,
                                                         comm::Operation operation,
                                                         std::span<const float> send,
                                                         std::span<float> receive) override {
    return comm::make_nccl_collective(device, options, operation, send, receive);
  }
  std::unique_ptr<comm::Comm> make_staged_comm(device::Device& device,
                                               comm::Comm& host,
                                               std::size_t capacity_bytes) override {
    return comm::make_staged_comm(device, host, capacity_bytes);
  }
  std::unique_ptr<comm::Messages> make_nccl_messages(device::Device& device,
                                                     const comm::NcclOptions& up,
                                                     const comm::NcclOptions& down,
                                                     std::size_t slot_count,
                                                     int distance) override {
    return comm::make_nccl_messages(device, up, down, slot_count, distance);
  }
  std::unique_ptr<comm::Messages> make_staged_messages(device::Device& device,
                                                       comm::Messages& host,
                                                       std::size_t slot_count,
                                                       std::size_t capacity_bytes) override {
    return comm::make_staged_messages(device, host, slot_count, capacity_bytes);
  }

 private:
  static int attribute(cudaDeviceAttr name, int ordinal) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, name, ordinal));
    return value;
  }

  std::map<int, DriverMemory> memories_;  // by ordinal
};

}  // namespace

extern "C" Backend* scalestudy_cuda_backend(std::uint32_t version) {
  static CudaBackend backend;
  return version == kBackendVersion ? &backend : nullptr;
}

}  // namespace scalestudy::cuda

// The memory of a GPU that a process holds by the driver's count: buffers, the CUDA context, code
// of kernels, and what libraries and NCCL took for themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace scalestudy::cuda {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

struct HeldMemory {
  std::size_t bytes = 0;
  // True: NVML lists this process with these bytes. False: the GPU's memory in use has grown by
  // them since DriverMemory was made, whoever took it, because in a container the list has the
  // host's process ids, or no memory (NVIDIA/nvidia-docker issue 1483, open-gpu-kernel-modules pull
  // request 614).
  bool is_of_process = false;
};

// Asks NVML about one GPU; NVML is loaded if it is installed. One thread calls.
class DriverMemory {
 public:
  // Make it before the process has a context on the GPU.
  //   pci_bus_id  "0000:1b:00.0"
  explicit DriverMemory(const std::string& pci_bus_id, const char* library = kNvmlLibrary);

  // The memory held now. nullopt if NVML is missing or says nothing about this GPU.
  std::optional<HeldMemory> held() const;

 private:
  std::optional<std::size_t> of_process() const;
  std::optional<std::size_t> in_use() const;  // by all processes

  template <typename Function>
  Function* find(const char* name) const;

  void* library_;                      // kept until the process ends
  void* device_ = nullptr;             // nvmlDevice_t
  std::optional<std::size_t> before_;  // in use when this was made
};

}  // namespace scalestudy::cuda

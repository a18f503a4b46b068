#include "workloads/cuda/driver_memory.h"

#include <algorithm>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace scalestudy::cuda {
namespace {

// Declared by hand from NVML's reference (a stable C interface), whose header no toolkit of CUDA's
// runtime has to hold.
constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr unsigned long long kNotAvailable = ~0ULL;

struct Memory {  // nvmlMemory_t
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

struct Process {  // nvmlProcessInfo_t of the calls _v2 and _v3
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

using GetProcesses = int(void* device, unsigned* count, Process* processes);

// That compute on the device; empty where it does not tell.
std::vector<Process> processes_of(void* device, GetProcesses* get) {
  std::vector<Process> processes;
  unsigned count = 0;
  int status = get(device, &count, nullptr);
  while (status == kInsufficientSize) {
    processes.resize(count + 8);  // some may come between the calls
    count = static_cast<unsigned>(processes.size());
    status = get(device, &count, processes.data());
  }
  processes.resize(status == kSuccess ? std::min<std::size_t>(count, processes.size()) : 0);
  return processes;
}

}  // namespace

template <typename Function>
Function* DriverMemory::find(const char* name) const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
}

DriverMemory::DriverMemory(const std::string& pci_bus_id, const char* library)
    : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
  auto* init = find<int()>("nvmlInit_v2");
  auto* get_device = find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || get_device == nullptr || init() != kSuccess ||
      get_device(pci_bus_id.c_str(), &device_) != kSuccess) {
    device_ = nullptr;
    return;
  }
  before_ = in_use();
}

std::optional<std::size_t> DriverMemory::in_use() const {
  auto* get = find<int(void*, Memory*)>("nvmlDeviceGetMemoryInfo");
  Memory memory;
  return get != nullptr && get(device_, &memory) == kSuccess ? std::optional(memory.used)
                                                             : std::nullopt;
}

std::optional<std::size_t> DriverMemory::of_process() const {
  auto* get = find<GetProcesses>("nvmlDeviceGetComputeRunningProcesses_v3");
  get = get != nullptr ? get : find<GetProcesses>("nvmlDeviceGetComputeRunningProcesses_v2");
  if (get == nullptr) {
    return std::nullopt;
  }
  const auto own = static_cast<unsigned>(getpid());
  for (const Process& process : processes_of(device_, get)) {
    // None that computes holds nothing: that is what a driver says which cannot tell.
    if (process.pid == own && process.used_bytes > 0 && process.used_bytes != kNotAvailable) {
      return process.used_bytes;
    }
  }
  return std::nullopt;
}

std::optional<HeldMemory> DriverMemory::held() const {
  if (device_ == nullptr) {
    return std::nullopt;
  }
  if (const auto own = of_process()) {
    return HeldMemory{*own, true};
  }
  const auto now = in_use();
  return now && before_ && *now > *before_ ? std::optional(HeldMemory{*now - *before_, false})
                                           : std::nullopt;
}

}  // namespace scalestudy::cuda

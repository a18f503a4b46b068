#include "harness/host/gpu_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "harness/host/shared_library.h"

namespace scalestudy {
namespace {

// Declared by hand from NVML's reference (stable C interface): no CUDA header in the harness.
using NvmlDevice = void*;
using NvmlCall = int();
using NvmlDriverVersion = int(char*, unsigned);
using NvmlCudaVersion = int(int*);
using NvmlCount = int(unsigned*);
using NvmlHandle = int(unsigned, NvmlDevice*);
using NvmlName = int(NvmlDevice, char*, unsigned);

constexpr int kSuccess = 0;
constexpr int kCudaMajor = 1000;  // 13000 is CUDA 13.0
constexpr int kCudaMinor = 10;

using Text = std::array<char, 96>;

std::vector<std::string> read_models(const SharedLibrary& nvml, unsigned count) {
  std::vector<std::string> models;
  auto* get_handle = nvml.find<NvmlHandle>("nvmlDeviceGetHandleByIndex_v2");
  auto* get_name = nvml.find<NvmlName>("nvmlDeviceGetName");
  for (unsigned index = 0; get_handle != nullptr && get_name != nullptr && index < count; ++index) {
    NvmlDevice device = nullptr;
    Text name{};
    if (get_handle(index, &device) == kSuccess &&
        get_name(device, name.data(), name.size()) == kSuccess) {
      models.emplace_back(name.data());
    }
  }
  return models;
}

GpuFacts read_facts(const SharedLibrary& nvml) {
  GpuFacts facts;
  unsigned count = 0;
  auto* get_count = nvml.find<NvmlCount>("nvmlDeviceGetCount_v2");
  if (get_count != nullptr && get_count(&count) == kSuccess) {
    facts.count = count;
  }
  facts.models = read_models(nvml, count);
  Text driver{};
  auto* get_driver = nvml.find<NvmlDriverVersion>("nvmlSystemGetDriverVersion");
  if (get_driver != nullptr && get_driver(driver.data(), driver.size()) == kSuccess) {
    facts.driver = driver.data();
  }
  int cuda = 0;
  auto* get_cuda = nvml.find<NvmlCudaVersion>("nvmlSystemGetCudaDriverVersion_v2");
  if (get_cuda != nullptr && get_cuda(&cuda) == kSuccess) {
    facts.cuda_driver =
        std::to_string(cuda / kCudaMajor) + "." + std::to_string(cuda % kCudaMajor / kCudaMinor);
  }
  return facts;
}

}  // namespace

std::optional<GpuFacts> read_gpus(const std::string& library) {
  const SharedLibrary nvml(library);
  auto* init = nvml.find<NvmlCall>("nvmlInit_v2");
  auto* shut_down = nvml.find<NvmlCall>("nvmlShutdown");
  if (init == nullptr || shut_down == nullptr || init() != kSuccess) {
    return std::nullopt;
  }
  GpuFacts facts = read_facts(nvml);
  shut_down();
  return facts;
}

std::int64_t visible_gpus(std::int64_t count, const std::optional<std::string>& visible_devices) {
  if (!visible_devices) {
    return count;
  }
  std::int64_t visible = 0;
  std::istringstream entries(*visible_devices);
  for (std::string entry; std::getline(entries, entry, ',');) {
    std::int64_t index = 0;
    const auto parsed = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    const bool is_index = parsed.ec == std::errc{} && parsed.ptr == entry.data() + entry.size();
    const bool is_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (is_index ? index < 0 || index >= count : !is_uuid) {
      break;
    }
    ++visible;
  }
  return std::min(visible, count);
}

}  // namespace scalestudy

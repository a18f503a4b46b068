#include "harness/host/gpu_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "harness/host/gpu_links.h"
#include "harness/host/nvml_codes.h"
#include "harness/host/shared_library.h"
#include "harness/text/text.h"

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
using NvmlPeerStatus = int(NvmlDevice, NvmlDevice, int, int*);
using NvmlPcie = int(NvmlDevice, unsigned*);
using NvmlMemoryAffinity = int(NvmlDevice, unsigned, unsigned long*, unsigned);  // NOLINT

constexpr unsigned kOfNode = 0;  // NVML_AFFINITY_SCOPE_NODE
constexpr double kGiga = 1e9;
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
    if (get_handle(index, &device) == kNvmlSuccess &&
        get_name(device, name.data(), name.size()) == kNvmlSuccess) {
      models.emplace_back(name.data());
    }
  }
  return models;
}

std::vector<NvmlDevice> handles(const SharedLibrary& nvml, unsigned count) {
  std::vector<NvmlDevice> devices;
  auto* get_handle = nvml.find<NvmlHandle>("nvmlDeviceGetHandleByIndex_v2");
  for (unsigned index = 0; get_handle != nullptr && index < count; ++index) {
    NvmlDevice device = nullptr;
    if (get_handle(index, &device) != kNvmlSuccess) {
      return {};  // pairs are named by index
    }
    devices.push_back(device);
  }
  return devices;
}

std::string read_links(const SharedLibrary& nvml, const std::vector<NvmlDevice>& devices) {
  auto* get_status = nvml.find<NvmlPeerStatus>("nvmlDeviceGetP2PStatus");
  if (get_status == nullptr || devices.size() < 2) {
    return "";
  }
  const auto can = [&](NvmlDevice a, NvmlDevice b, int capability) {
    int status = -1;
    return get_status(a, b, capability, &status) == kNvmlSuccess && status == kNvmlPeerOk;
  };
  std::map<std::string, std::vector<std::string>> pairs;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      const char* kind = can(devices[i], devices[j], kNvmlPeerNvlink) ? "NVLink"
                         : can(devices[i], devices[j], kNvmlPeerRead) ? "PCIe peer access"
                                                                      : "no peer access";
      pairs[kind].push_back(std::to_string(i) + "-" + std::to_string(j));
    }
  }
  std::string text;
  for (const auto& [kind, names] : pairs) {
    text += (text.empty() ? "" : "; ") + kind + ": " +
            (pairs.size() == 1 ? std::string("all pairs") : join(names, ", "));
  }
  return text;
}

// What each GPU has to say: once where all say the same, else by index. "" where one says nothing.
std::string each(const std::vector<std::string>& texts) {
  if (texts.empty() || std::ranges::find(texts, "") != texts.end()) {
    return "";
  }
  std::vector<std::string> named;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    named.push_back(std::to_string(i) + ": " + texts[i]);
  }
  const bool are_equal = std::ranges::count(texts, texts.front()) == std::ssize(texts);
  return are_equal ? texts.front() : join(named, "; ");
}

std::string read_pcie(const SharedLibrary& nvml, NvmlDevice device) {
  auto* get_generation = nvml.find<NvmlPcie>("nvmlDeviceGetMaxPcieLinkGeneration");
  auto* get_width = nvml.find<NvmlPcie>("nvmlDeviceGetMaxPcieLinkWidth");
  unsigned generation = 0;
  unsigned width = 0;
  if (get_generation == nullptr || get_width == nullptr ||
      get_generation(device, &generation) != kNvmlSuccess ||
      get_width(device, &width) != kNvmlSuccess) {
    return "";
  }
  const double rate = pcie_bytes_per_s(generation, width);
  return fmt::format("generation {}, {} lanes", generation, width) +
         (rate > 0.0 ? fmt::format(", {:.1f} GB/s each way", rate / kGiga) : "");
}

std::string read_numa(const SharedLibrary& nvml, NvmlDevice device) {
  auto* get_affinity = nvml.find<NvmlMemoryAffinity>("nvmlDeviceGetMemoryAffinity");
  unsigned long nodes = 0;  // NOLINT(google-runtime-int): as NVML declares it
  if (get_affinity == nullptr || get_affinity(device, 1, &nodes, kOfNode) != kNvmlSuccess ||
      nodes == 0) {
    return "";
  }
  return "node " + std::to_string(std::countr_zero(nodes));
}

GpuFacts read_facts(const SharedLibrary& nvml) {
  GpuFacts facts;
  unsigned count = 0;
  auto* get_count = nvml.find<NvmlCount>("nvmlDeviceGetCount_v2");
  if (get_count != nullptr && get_count(&count) == kNvmlSuccess) {
    facts.count = count;
  }
  facts.models = read_models(nvml, count);
  const std::vector<NvmlDevice> devices = handles(nvml, count);
  facts.links = read_links(nvml, devices);
  facts.link_rates = format_device_links(read_gpu_links(nvml, devices), devices.size());
  std::vector<std::string> pcie;
  std::vector<std::string> numa;
  for (NvmlDevice device : devices) {
    pcie.push_back(read_pcie(nvml, device));
    numa.push_back(read_numa(nvml, device));
  }
  facts.pcie = each(pcie);
  facts.numa = each(numa);
  Text driver{};
  auto* get_driver = nvml.find<NvmlDriverVersion>("nvmlSystemGetDriverVersion");
  if (get_driver != nullptr && get_driver(driver.data(), driver.size()) == kNvmlSuccess) {
    facts.driver = driver.data();
  }
  int cuda = 0;
  auto* get_cuda = nvml.find<NvmlCudaVersion>("nvmlSystemGetCudaDriverVersion_v2");
  if (get_cuda != nullptr && get_cuda(&cuda) == kNvmlSuccess) {
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
  if (init == nullptr || shut_down == nullptr || init() != kNvmlSuccess) {
    return std::nullopt;
  }
  GpuFacts facts = read_facts(nvml);
  shut_down();
  return facts;
}

double pcie_bytes_per_s(unsigned generation, unsigned lanes) {
  constexpr std::array<double, 5> transfers_per_s{2.5e9, 5e9, 8e9, 16e9, 32e9};
  constexpr double bits = 8.0;
  if (generation < 1 || generation > transfers_per_s.size()) {
    return 0.0;
  }
  const double code = generation < 3 ? 8.0 / 10.0 : 128.0 / 130.0;
  return transfers_per_s.at(generation - 1) * code * lanes / bits;
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

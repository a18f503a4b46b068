#include "harness/host/gpu_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "harness/host/gpu_links.h"
#include "harness/host/nvml.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr unsigned kOfNode = 0;  // NVML_AFFINITY_SCOPE_NODE
constexpr double kGiga = 1e9;
constexpr int kCudaMajor = 1000;  // 13000 is CUDA 13.0
constexpr int kCudaMinor = 10;

std::string read_links(const Nvml& nvml, const std::vector<Nvml::Device>& devices) {
  if (nvml.library().find<int()>("nvmlDeviceGetP2PStatus") == nullptr || devices.size() < 2) {
    return "";
  }
  std::map<std::string, std::vector<std::string>> pairs;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      const char* kind = nvml.can(devices[i], devices[j], kNvmlPeerNvlink) ? "NVLink"
                         : nvml.can(devices[i], devices[j], kNvmlPeerRead) ? "PCIe peer access"
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

std::string read_pcie(const Nvml& nvml, Nvml::Device device) {
  const auto generation = nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", device);
  const auto width = nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", device);
  if (!generation || !width) {
    return "";
  }
  const double rate = pcie_bytes_per_s(*generation, *width);
  return fmt::format("generation {}, {} lanes", *generation, *width) +
         (rate > 0.0 ? fmt::format(", {:.1f} GB/s each way", rate / kGiga) : "");
}

std::string read_numa(const Nvml& nvml, Nvml::Device device) {
  using GetAffinity = int(Nvml::Device, unsigned, unsigned long*, unsigned);  // NOLINT
  auto* get_affinity = nvml.library().find<GetAffinity>("nvmlDeviceGetMemoryAffinity");
  unsigned long nodes = 0;  // NOLINT(google-runtime-int): as NVML declares it
  if (get_affinity == nullptr || get_affinity(device, 1, &nodes, kOfNode) != kNvmlSuccess ||
      nodes == 0) {
    return "";
  }
  return "node " + std::to_string(std::countr_zero(nodes));
}

GpuFacts read_facts(const Nvml& nvml) {
  GpuFacts facts;
  facts.count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  std::vector<Nvml::Device> devices;
  for (Nvml::Device device : nvml.devices()) {
    if (device != nullptr) {
      devices.push_back(device);
      if (const auto model = nvml.text("nvmlDeviceGetName", device)) {
        facts.models.push_back(*model);
      }
    }
  }
  if (devices.size() < nvml.devices().size()) {
    devices.clear();  // pairs are named by index
  }
  facts.links = read_links(nvml, devices);
  facts.link_rates = format_device_links(read_gpu_links(nvml, devices), devices.size());
  std::vector<std::string> pcie;
  std::vector<std::string> numa;
  for (Nvml::Device device : devices) {
    pcie.push_back(read_pcie(nvml, device));
    numa.push_back(read_numa(nvml, device));
  }
  facts.pcie = each(pcie);
  facts.numa = each(numa);
  facts.driver = nvml.text("nvmlSystemGetDriverVersion").value_or("");
  if (const auto cuda = nvml.ask<int>("nvmlSystemGetCudaDriverVersion_v2")) {
    facts.cuda_driver =
        std::to_string(*cuda / kCudaMajor) + "." + std::to_string(*cuda % kCudaMajor / kCudaMinor);
  }
  return facts;
}

}  // namespace

std::optional<GpuFacts> read_gpus(const std::string& library) {
  const Nvml nvml(library);
  return nvml.is_open() ? std::optional(read_facts(nvml)) : std::nullopt;
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
    const auto index = parse_whole<std::int64_t>(entry);
    const bool is_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (index ? *index < 0 || *index >= count : !is_uuid) {
      break;
    }
    ++visible;
  }
  return std::min(visible, count);
}

}  // namespace scalestudy

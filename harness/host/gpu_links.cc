#include "harness/host/gpu_links.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "harness/host/gpu_facts.h"

namespace scalestudy {
namespace {

constexpr unsigned kMostLinks = 64;  // more than NVML_NVLINK_MAX_LINKS of any version
constexpr int kToGpu = 0;            // nvmlIntNvLinkDeviceType_t
constexpr int kToSwitch = 2;         // likewise
constexpr unsigned kSpeed = 90;      // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON
constexpr double kMega = 1e6;

// nvmlPciInfo_t
struct PciInfo {
  std::array<char, 16> legacy_bus_id{};
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned device_id = 0;
  unsigned subsystem_id = 0;
  std::array<char, 32> bus_id{};

  bool is_at(const PciInfo& other) const {
    return domain == other.domain && bus == other.bus && device == other.device;
  }
};

// nvmlFieldValue_t
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;   // NOLINT(google-runtime-int): as NVML declares it
  long long latency_us = 0;  // NOLINT(google-runtime-int): likewise
  int value_type = 0;
  int result = 0;
  union {
    double real;
    unsigned count;
  } value = {0.0};
};

struct GpuLinks {
  std::optional<PciInfo> place;
  unsigned to_switch = 0;          // links
  std::vector<PciInfo> to_others;  // one a link
  double link_bytes_per_s = 0.0;   // of each, each way; 0: not known
  unsigned pcie_generation = 0;    // 0: not known
  unsigned pcie_lanes = 0;
};

GpuLinks links_of(const Nvml& nvml, Nvml::Device device) {
  GpuLinks links;
  links.place = nvml.ask<PciInfo>("nvmlDeviceGetPciInfo_v3", device);
  const auto generation = nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", device);
  const auto lanes = nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", device);
  if (generation && lanes) {
    links.pcie_generation = *generation;
    links.pcie_lanes = *lanes;
  }
  for (unsigned link = 0; link < kMostLinks; ++link) {
    if (nvml.ask<int>("nvmlDeviceGetNvLinkState", device, link) != 1) {
      continue;
    }
    const auto kind = nvml.ask<int>("nvmlDeviceGetNvLinkRemoteDeviceType", device, link);
    if (kind == kToSwitch) {
      ++links.to_switch;
    } else if (kind == kToGpu) {
      if (const auto other =
              nvml.ask<PciInfo>("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link)) {
        links.to_others.push_back(*other);
      }
    }
  }
  FieldValue speed;
  speed.field = kSpeed;
  auto* get_fields =
      nvml.library().find<int(Nvml::Device, int, FieldValue*)>("nvmlDeviceGetFieldValues");
  if (get_fields != nullptr && get_fields(device, 1, &speed) == kNvmlSuccess &&
      speed.result == kNvmlSuccess) {
    links.link_bytes_per_s = speed.value.count * kMega;
  }
  return links;
}

DeviceLink nvlink_of(const GpuLinks& a, const GpuLinks& b) {
  const auto direct = std::ranges::count_if(
      a.to_others, [&](const PciInfo& other) { return b.place && other.is_at(*b.place); });
  const auto count = static_cast<double>(direct) + std::min(a.to_switch, b.to_switch);
  const double speed = std::min(a.link_bytes_per_s, b.link_bytes_per_s);
  const bool is_by_switch = direct == 0 && count > 0.0;
  return {.kind = (count > 0.0 ? fmt::format("NVLink x{:.0f}", count) : "NVLink") +
                  (is_by_switch ? kBySwitch : ""),
          .bytes_per_s = count * speed,
          .by = "NVML's speed of each link"};
}

DeviceLink pcie_of(const GpuLinks& a, const GpuLinks& b, bool is_direct) {
  const auto rate = [](const GpuLinks& links) {
    return pcie_bytes_per_s(links.pcie_generation, links.pcie_lanes);
  };
  const GpuLinks& slower = rate(b) < rate(a) ? b : a;
  return {.kind = fmt::format("PCIe {}.0 x{}{}",
                              slower.pcie_generation,
                              slower.pcie_lanes,
                              is_direct ? "" : " by way of the host"),
          .bytes_per_s = rate(slower),
          .by = "its specification"};
}

}  // namespace

std::map<DevicePair, DeviceLink> read_gpu_links(const Nvml& nvml,
                                                const std::vector<Nvml::Device>& devices) {
  std::vector<GpuLinks> gpus;
  for (Nvml::Device device : devices) {
    gpus.push_back(links_of(nvml, device));
  }
  std::map<DevicePair, DeviceLink> links;
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < gpus.size(); ++b) {
      const DevicePair pair(static_cast<int>(a), static_cast<int>(b));
      if (nvml.can(devices[a], devices[b], kNvmlPeerNvlink)) {
        links[pair] = nvlink_of(gpus[a], gpus[b]);
      } else if (gpus[a].pcie_generation > 0 && gpus[b].pcie_generation > 0) {
        links[pair] = pcie_of(gpus[a], gpus[b], nvml.can(devices[a], devices[b], kNvmlPeerRead));
      }
    }
  }
  return links;
}

}  // namespace scalestudy

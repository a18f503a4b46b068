// What joins two devices, and what that could carry, as a session records it of its GPUs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace scalestudy {

struct DeviceLink {
  std::string kind;          // "NVLink x18", "PCIe 4.0 x16"; no ';' or ':'
  double bytes_per_s = 0.0;  // each way, > 0; 0: not known
  std::string by;            // what says so: "NVML's speed of each link", "its specification"
};

using DevicePair = std::pair<int, int>;  // the lower index first

// "PCIe 4.0 x16, 31.5 GB/s by its specification"; without a rate the kind alone.
std::string describe_link(const DeviceLink& link);

// Pairs by kind: "NVLink x4, 103 GB/s by NVML's speed of each link: 0-1, 2-3; PCIe 4.0 x16, 31.5
// GB/s by its specification: 0-2"; "...: all pairs" where all of so many devices are of one kind.
// Empty for no pairs.
std::string format_device_links(const std::map<DevicePair, DeviceLink>& links, std::size_t devices);

// The link of a pair in such a text; without a pair that of all pairs. Absent where the text is
// none, or does not have it.
std::optional<DeviceLink> find_device_link(const std::string& text,
                                           const std::optional<DevicePair>& pair);

}  // namespace scalestudy

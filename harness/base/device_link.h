// The link between two devices and its rate, as a session records it for its GPUs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace scalestudy {

struct DeviceLink {
  std::string kind;          // "NVLink x18", "PCIe 4.0 x16"; no ';' or ':'
  double bytes_per_s = 0.0;  // rate in each direction; 0: not known
  std::string by;            // source of the rate: "NVML's speed of each link", "its specification"

  // Whether NVLinks join the two without a switch, so that each has further links to others.
  bool is_direct_nvlink() const;
};

// What follows "NVLink x18" in `kind` if a switch joins the two.
inline constexpr const char* kBySwitch = " by a switch";

using DevicePair = std::pair<int, int>;  // the lower index first

// "PCIe 4.0 x16, 31.5 GB/s by its specification"; only the kind if the rate is not known.
std::string describe_link(const DeviceLink& link);

// The pairs, grouped by kind of link: "NVLink x4, 103 GB/s by NVML's speed of each link: 0-1, 2-3;
// PCIe 4.0 x16, 31.5 GB/s by its specification: 0-2". "...: all pairs" if all pairs of so many
// devices have the same kind. Empty if there are no pairs.
std::string format_device_links(const std::map<DevicePair, DeviceLink>& links, std::size_t devices);

// Reads the link of a pair from a text of format_device_links(); without a pair, the link that all
// pairs have. Absent if the text is no such text, or does not name that link.
std::optional<DeviceLink> find_device_link(const std::string& text,
                                           const std::optional<DevicePair>& pair);

}  // namespace scalestudy

#include "harness/host/links.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <system_error>

#include "harness/base/read_file.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr double kBits = 8.0;

// /proc/net/dev: two lines of headings, then "eth0: " and 16 numbers.
void add_interfaces(const fs::path& root, std::vector<Link>& links) {
  std::istringstream lines(read_system_file(root / "proc/net/dev"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      continue;
    }
    std::istringstream name_text(line.substr(0, colon));
    std::istringstream numbers(line.substr(colon + 1));
    std::string name;
    std::array<double, 9> values{};
    name_text >> name;
    for (double& value : values) {
      numbers >> value;
    }
    if (numbers && name != "lo") {
      // Mbit/s; -1 without a cable, an error of virtual ones.
      const double speed = number_in(root / "sys/class/net" / name / "speed").value_or(0.0);
      links.push_back({.name = "network_" + name,
                       .capacity = std::max(speed, 0.0) * 1e6 / kBits,
                       .received = values[0],
                       .sent = values[8]});
    }
  }
}

// Words of 4 bytes, and "100 Gb/sec (4X EDR)". source: Linux, ABI/stable/sysfs-class-infiniband.
void add_infiniband(const fs::path& root, std::vector<Link>& links) {
  constexpr double word_bytes = 4.0;
  std::error_code error;
  for (const auto& device : fs::directory_iterator(root / "sys/class/infiniband", error)) {
    std::error_code none;
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none)) {
      const auto received = number_in(port.path() / "counters/port_rcv_data");
      const auto sent = number_in(port.path() / "counters/port_xmit_data");
      if (received && sent) {
        links.push_back({.name = "infiniband_" + device.path().filename().string() + "_" +
                                 port.path().filename().string(),
                         .capacity = number_in(port.path() / "rate").value_or(0.0) * 1e9 / kBits,
                         .received = *received * word_bytes,
                         .sent = *sent * word_bytes});
      }
    }
  }
}

}  // namespace

std::optional<double> number_in(const fs::path& file) {
  const std::string text = read_system_file(file);
  double value = 0.0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}
             ? std::optional(value)
             : std::nullopt;
}

std::vector<Link> read_links(const fs::path& root) {
  std::vector<Link> links;
  add_interfaces(root, links);
  add_infiniband(root, links);
  return links;
}

std::vector<Reading> traffic_between(const std::vector<Link>& before,
                                     const std::vector<Link>& after,
                                     double elapsed_s) {
  std::vector<Reading> readings;
  for (const Link& link : after) {
    const auto earlier = std::ranges::find(before, link.name, &Link::name);
    if (earlier == before.end() || link.received < earlier->received || link.sent < earlier->sent) {
      continue;
    }
    const double received = link.received - earlier->received;
    const double sent = link.sent - earlier->sent;
    readings.push_back({link.name + "_received_bytes", received, "bytes"});
    readings.push_back({link.name + "_sent_bytes", sent, "bytes"});
    if (link.capacity > 0.0 && elapsed_s > 0.0) {
      readings.push_back(
          {link.name + "_share", std::max(received, sent) / elapsed_s / link.capacity, "1"});
    }
  }
  return readings;
}

std::vector<Package> read_packages(const fs::path& root) {
  std::vector<Package> packages;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/class/powercap", error)) {
    const std::string name = entry.path().filename();
    // Parts of a package are "intel-rapl:0:0". Beside packages may be "psys", the whole machine.
    // source: Linux, Documentation/power/powercap; drivers/powercap/intel_rapl_common.c.
    if (name.starts_with("intel-rapl:") && name.find(':', 11) == std::string::npos &&
        !read_system_file(entry.path() / "name").starts_with("psys")) {
      if (const auto microjoule = number_in(entry.path() / "energy_uj")) {
        const double range = number_in(entry.path() / "max_energy_range_uj").value_or(0.0);
        packages.push_back({.name = name, .energy_j = *microjoule / 1e6, .range_j = range / 1e6});
      }
    }
  }
  return packages;
}

std::vector<Package> following(const std::vector<Package>& before, std::vector<Package> after) {
  for (Package& package : after) {
    const auto earlier = std::ranges::find(before, package.name, &Package::name);
    if (earlier != before.end()) {
      const bool is_anew = package.energy_j < earlier->energy_j;
      package.before_j = earlier->before_j + (is_anew ? package.range_j : 0.0);
      package.lost_turns = earlier->lost_turns + (is_anew && package.range_j <= 0.0 ? 1 : 0);
    }
  }
  return after;
}

std::optional<double> energy_between_j(const std::vector<Package>& before,
                                       const std::vector<Package>& after) {
  std::optional<double> used_j;
  for (const Package& package : after) {
    const auto earlier = std::ranges::find(before, package.name, &Package::name);
    if (earlier == before.end() || earlier->lost_turns != package.lost_turns) {
      return std::nullopt;
    }
    const double own_j =
        package.before_j + package.energy_j - (earlier->before_j + earlier->energy_j);
    if (!(own_j >= 0.0)) {
      return std::nullopt;
    }
    used_j = used_j.value_or(0.0) + own_j;
  }
  return used_j;
}

}  // namespace scalestudy

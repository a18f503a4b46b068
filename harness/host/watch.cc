#include "harness/host/watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/read_file.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

std::optional<double> number_in(const fs::path& file) {
  const std::string text = read_file(file).value_or("");
  double value = 0.0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}
             ? std::optional(value)
             : std::nullopt;
}

// Seconds in which some task waited: "some avg10=0.00 avg60=0.00 avg300=0.00 total=12" are
// microseconds.
std::optional<double> waited_s(const std::string& text) {
  const std::size_t some = text.find("some ");
  const std::size_t at = text.find("total=", some);
  double value_us = 0.0;
  if (some == std::string::npos || at == std::string::npos ||
      std::from_chars(text.data() + at + 6, text.data() + text.size(), value_us).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return value_us / 1e6;
}

// Bytes received and sent, of /proc/net/dev: two lines of headings, then "eth0: " and 16 numbers.
struct Traffic {
  double received = 0.0;
  double sent = 0.0;
  bool is_known = false;
};

Traffic traffic_of(const std::string& text) {
  Traffic traffic;
  std::istringstream lines(text);
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
      traffic.received += values[0];
      traffic.sent += values[8];
      traffic.is_known = true;
    }
  }
  return traffic;
}

// Of each package "intel-rapl:N" (AMD's have that name, too), parts of it left out.
std::optional<double> package_energy_j(const fs::path& root) {
  std::optional<double> energy_j;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(root / "sys/class/powercap", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("intel-rapl:") && name.find(':', 11) == std::string::npos) {
      if (const auto microjoule = number_in(entry.path() / "energy_uj")) {
        energy_j = energy_j.value_or(0.0) + *microjoule / 1e6;
      }
    }
  }
  return energy_j;
}

}  // namespace

SystemWatch::SystemWatch(fs::path root, std::vector<int> cpus, Nvml* gpus)
    : root_(std::move(root)),
      cpus_(std::move(cpus)),
      gpus_(gpus),
      started_s_(SystemClock().monotonic_s()),
      before_(read_counters()) {}

SystemWatch::Counters SystemWatch::read_counters() const {
  Counters counters;
  for (const char* resource : {"cpu", "memory", "io"}) {
    const auto text = read_file(root_ / "proc/pressure" / resource);
    if (const auto waited = waited_s(text.value_or(""))) {
      counters[std::string(resource) + "_pressure"] = *waited;
    }
  }
  for (const int cpu : cpus_) {
    const fs::path file = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                          "thermal_throttle/core_throttle_count";
    if (const auto events = number_in(file)) {
      counters["cpu_throttle_events"] += *events;
    }
  }
  if (const auto energy_j = package_energy_j(root_)) {
    counters["cpu_energy_j"] = *energy_j;
  }
  const Traffic traffic = traffic_of(read_file(root_ / "proc/net/dev").value_or(""));
  if (traffic.is_known) {
    counters["network_received_bytes"] = traffic.received;
    counters["network_sent_bytes"] = traffic.sent;
  }
  return counters;
}

void SystemWatch::look() {
  // Often enough for a trial of some seconds; asking is work for the CPUs that are measured.
  constexpr double interval_s = 1.0;
  constexpr std::size_t asked_cpus = 8;
  const double now_s = SystemClock().monotonic_s();
  if (looked_s_ > 0.0 && now_s - looked_s_ < interval_s) {
    return;
  }
  looked_s_ = now_s;
  for (const int cpu : std::span(cpus_).first(std::min(cpus_.size(), asked_cpus))) {
    const fs::path file = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                          "cpufreq/scaling_cur_freq";
    const auto kilohertz = number_in(file);
    if (!kilohertz) {
      break;  // where one does not tell, none does
    }
    frequency_sum_hz_ += 1e3 * *kilohertz;
    ++frequencies_;
  }
  gpus_.look();
}

std::vector<Reading> SystemWatch::end() {
  const double elapsed_s = SystemClock().monotonic_s() - started_s_;
  const Counters after = read_counters();
  std::vector<Reading> readings;
  for (const auto& [name, value] : after) {
    const auto before = before_.find(name);
    const double difference = before == before_.end() ? -1.0 : value - before->second;
    if (difference < 0.0) {
      continue;  // a counter that began anew
    }
    if (name.ends_with("_pressure")) {
      if (elapsed_s > 0.0) {
        readings.push_back({name, difference / elapsed_s, "1"});
      }
    } else {
      readings.push_back({name,
                          difference,
                          name.ends_with("_j")       ? "J"
                          : name.ends_with("_bytes") ? "bytes"
                                                     : ""});
    }
  }
  if (frequencies_ > 0) {
    readings.push_back(
        {"cpu_frequency_hz", frequency_sum_hz_ / static_cast<double>(frequencies_), "Hz"});
  }
  for (Reading& reading : gpus_.end()) {
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace scalestudy

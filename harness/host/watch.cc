#include "harness/host/watch.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <unistd.h>

#include "harness/base/read_file.h"
#include "harness/host/proc_text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

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

// Longest of the CPUs' differences of a counter; absent when none tells.
std::optional<double> longest(const std::map<int, double>& before,
                              const std::map<int, double>& after) {
  std::optional<double> most;
  for (const auto& [cpu, value] : after) {
    const auto earlier = before.find(cpu);
    if (earlier != before.end() && value >= earlier->second) {
      most = std::max(most.value_or(0.0), value - earlier->second);
    }
  }
  return most;
}

}  // namespace

SystemWatch::SystemWatch(fs::path root, std::vector<int> cpus, Nvml* gpus, const Clock& clock)
    : root_(std::move(root)),
      cpus_(std::move(cpus)),
      gpus_(gpus),
      clock_(clock),
      started_s_(clock.monotonic_s()),
      before_(read_counters()),
      throttled_s_(read_throttled_s()),
      links_(read_links(root_)),
      packages_(read_packages(root_)) {}

// Linux 5.8 and later, Intel; since boot, by CPU.
std::map<int, double> SystemWatch::read_throttled_s() const {
  std::map<int, double> times_s;
  for (const int cpu : cpus_) {
    const fs::path file = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                          "thermal_throttle/core_throttle_total_time_ms";
    if (const auto milliseconds = number_in(file)) {
      times_s[cpu] = *milliseconds / 1e3;
    }
  }
  return times_s;
}

SystemWatch::Counters SystemWatch::read_counters() const {
  Counters counters;
  for (const char* resource : {"cpu", "memory", "io"}) {
    if (const auto waited = waited_s(read_system_file(root_ / "proc/pressure" / resource))) {
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
  const CpuTimes times = parse_cpu_times(
      read_system_file(root_ / "proc/stat"), cpus_, static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (times.busy_s > 0.0) {
    counters["cpu_system_s"] = times.system_s;
  }
  return counters;
}

void SystemWatch::look() {
  // Often enough for a trial of some seconds; asking is work for the CPUs that are measured.
  constexpr double interval_s = 1.0;
  constexpr std::size_t asked_cpus = 8;
  const double now_s = clock_.monotonic_s();
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
  keep_look(now_s);
}

// Every one of a short trial; of a long one, whose window is long as well, ever fewer.
void SystemWatch::keep_look(double now_s) {
  constexpr std::size_t most = 1024;
  if (!looks_.empty() && now_s - looks_.back().at_s < keep_every_s_) {
    return;
  }
  looks_.push_back({.at_s = now_s,
                    .links = read_links(root_),
                    .packages = next_packages(),
                    .gpu_energies_j = gpus_.energies_j()});
  if (looks_.size() < most) {
    return;
  }
  std::vector<Look> kept;
  for (std::size_t i = 0; i < looks_.size(); i += 2) {
    kept.push_back(std::move(looks_[i]));
  }
  looks_ = std::move(kept);
  keep_every_s_ = looks_[1].at_s - looks_[0].at_s - 0.5;
}

std::vector<Package> SystemWatch::next_packages() const {
  return following(looks_.empty() ? packages_ : looks_.back().packages, read_packages(root_));
}

std::vector<Reading> SystemWatch::between(double from_s, double until_s) const {
  const auto first =
      std::ranges::find_if(looks_, [&](const Look& look) { return look.at_s >= from_s; });
  const auto end =
      std::find_if(first, looks_.end(), [&](const Look& look) { return look.at_s > until_s; });
  if (end - first < 2) {
    return {};
  }
  const Look& last = *(end - 1);
  const double elapsed_s = last.at_s - first->at_s;
  std::vector<Reading> readings = traffic_between(first->links, last.links, elapsed_s);
  if (const auto energy_j = energy_between_j(first->packages, last.packages)) {
    readings.push_back({"cpu_energy_j", *energy_j, "J"});
  }
  for (std::size_t i = 0; i < last.gpu_energies_j.size(); ++i) {
    if (first->gpu_energies_j[i] >= 0.0 && last.gpu_energies_j[i] >= first->gpu_energies_j[i]) {
      readings.push_back({"gpu" + std::to_string(i) + "_energy_j",
                          last.gpu_energies_j[i] - first->gpu_energies_j[i],
                          "J"});
    }
  }
  readings.push_back({"s", elapsed_s, "s"});
  for (Reading& reading : readings) {
    reading.name.insert(0, "measured_");
  }
  return readings;
}

// Each link, and all network interfaces together.
void SystemWatch::add_links(double elapsed_s, std::vector<Reading>& readings) const {
  double received = 0.0;
  double sent = 0.0;
  bool is_known = false;
  for (Reading& reading : traffic_between(links_, read_links(root_), elapsed_s)) {
    if (reading.name.starts_with("network_")) {
      received += reading.name.ends_with("_received_bytes") ? reading.value : 0.0;
      sent += reading.name.ends_with("_sent_bytes") ? reading.value : 0.0;
      is_known = true;
    }
    readings.push_back(std::move(reading));
  }
  if (is_known) {
    readings.push_back({"network_received_bytes", received, "bytes"});
    readings.push_back({"network_sent_bytes", sent, "bytes"});
  }
}

std::vector<Reading> SystemWatch::end() {
  const double elapsed_s = clock_.monotonic_s() - started_s_;
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
      readings.push_back({name, difference, name.ends_with("_s") ? "s" : ""});
    }
  }
  add_links(elapsed_s, readings);
  if (const auto energy_j = energy_between_j(packages_, next_packages())) {
    readings.push_back({"cpu_energy_j", *energy_j, "J"});
    if (elapsed_s > 0.0) {
      readings.push_back({"cpu_power_w", *energy_j / elapsed_s, "W"});
    }
  }
  const auto throttled_s = longest(throttled_s_, read_throttled_s());
  if (throttled_s && elapsed_s > 0.0) {
    readings.push_back({"cpu_throttled", std::min(*throttled_s / elapsed_s, 1.0), "1"});
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

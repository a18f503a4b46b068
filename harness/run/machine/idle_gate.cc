#include "harness/run/machine/idle_gate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/run/machine/disturbance.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

constexpr double kBetweenLooksS = 1.0;

// "gpu0_utilization is 40 % (validity.gpu_utilization: 5 %)".
void add_gpus(const std::vector<Reading>& readings,
              const char* what,
              const char* key,
              double limit,
              std::string& text) {
  for (const Reading& reading : readings) {
    if (reading.name.starts_with("gpu") && reading.name.ends_with(what) &&
        !(reading.value <= limit)) {
      text += fmt::format("{}{} is {} (validity.{}: {})",
                          text.empty() ? "" : "; ",
                          reading.name,
                          format_percent(reading.value),
                          key,
                          format_percent(limit));
    }
  }
}

}  // namespace

MachineLook look_at(Machine& machine, const Clock& clock, const Sleep& sleep, double seconds) {
  const std::unique_ptr<MachineWatch> watch = machine.watch();
  const CpuTimes before = machine.cpu_times();
  const double started_s = clock.monotonic_s();
  sleep(seconds);
  watch->look();
  const double elapsed_s = clock.monotonic_s() - started_s;
  return {.load = measure_load(before, machine.cpu_times(), elapsed_s, 0.0, machine.cores()),
          .readings = watch->end()};
}

IdleGate::IdleGate(const Validity& limits, Machine& machine, const Clock& clock, Sleep sleep)
    : limits_(limits),
      machine_(machine),
      clock_(clock),
      sleep_(std::move(sleep)),
      longest_s_(limits.idle_wait()) {}

std::string IdleGate::what_is_busy(bool uses_gpus) {
  const MachineLook seen = look_at(machine_, clock_, sleep_, kIdleLookS);
  std::string why =
      find_disturbance(limits_, seen.load, seen.readings, machine_.cores(), uses_gpus).why;
  if (uses_gpus) {
    add_gpus(seen.readings, "_utilization", "gpu_utilization", limits_.gpu_utilization, why);
    add_gpus(seen.readings, "_memory_share", "gpu_memory", limits_.gpu_memory, why);
    const std::string clocks = moving_clocks(seen.readings);
    why += (why.empty() || clocks.empty() ? "" : "; ") + clocks;
  }
  return why;
}

std::string IdleGate::moving_clocks(const std::vector<Reading>& readings) {
  constexpr double settled = 0.02;
  std::string text;
  for (const Reading& reading : readings) {
    if (!reading.name.starts_with("gpu") || !reading.name.ends_with("_sm_clock_hz")) {
      continue;
    }
    const auto before = clocks_hz_.find(reading.name);
    if (before != clocks_hz_.end() &&
        !(std::abs(reading.value - before->second) <= settled * before->second)) {
      text = fmt::format("{} went from {:.0f} to {:.0f} MHz",
                         reading.name,
                         before->second / 1e6,
                         reading.value / 1e6);
    }
    clocks_hz_[reading.name] = reading.value;
  }
  return text;
}

IdleGate::Wait IdleGate::wait(bool uses_gpus,
                              const std::function<void(const std::string& why)>& tell,
                              const std::atomic<bool>& stop) {
  Wait wait;
  if (!(limits_.idle_wait() > 0.0)) {
    return wait;
  }
  clocks_hz_.clear();
  const double started_s = clock_.monotonic_s();
  for (bool is_told = false;; is_told = true) {
    const bool has_looked = !clocks_hz_.empty();
    wait.busy = what_is_busy(uses_gpus);
    if (wait.busy.empty() && !has_looked && !clocks_hz_.empty()) {
      wait.busy = what_is_busy(uses_gpus);
    }
    wait.waited_s = clock_.monotonic_s() - started_s;
    if (wait.busy.empty()) {
      longest_s_ = limits_.idle_wait();
      return wait;
    }
    if (wait.waited_s >= longest_s_ || stop.load()) {
      longest_s_ /= 2.0;
      return wait;
    }
    if (!is_told) {
      tell(wait.busy);
    }
    sleep_(std::min(kBetweenLooksS, longest_s_ - wait.waited_s));
  }
}

}  // namespace scalestudy

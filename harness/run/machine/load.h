// What others took of the machine while a trial ran, by its counters.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/host/machine.h"
#include "harness/run/process/launcher.h"

namespace scalestudy {

// What the machine's counters say about the time that a trial took; absent when that was too short.
struct Load {
  std::optional<double> foreign;  // cores' worth of CPU time that was not the trial's, >= 0
  std::optional<double> steal;    // cores' worth the hypervisor gave to others
};

// CPU time of a trial in s: its processes' and, with emulated links, that of their packets, which
// the kernel counts as nobody's (0.2 cores at 10 Gbit/s).
double own_cpu_s(const LaunchResult& launch,
                 const CpuTimes& before,
                 const CpuTimes& after,
                 bool has_links);

// The load between two readings of the counters.
// - elapsed_s: time between the readings.
// - cpu_s: the trial's own time, own_cpu_s().
// - returns: below kShortestLoadS what was certainly taken, which is a tick of 10 ms on every core
//   less than what the counters say; absent if that leaves nothing.
Load measure_load(const CpuTimes& before,
                  const CpuTimes& after,
                  double elapsed_s,
                  double cpu_s,
                  std::int64_t cores);

}  // namespace scalestudy

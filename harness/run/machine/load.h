// What others took of the machine while a trial ran, by its counters.
#pragma once

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
// - returns: an empty Load below 0.2 s: the counters tick in 10 ms on every core, which is more
//   than the 3 % that analysis looks for.
Load measure_load(const CpuTimes& before, const CpuTimes& after, double elapsed_s, double cpu_s);

}  // namespace scalestudy

// What others took of the machine while a trial ran, by its counters.
#pragma once

#include <optional>

#include "harness/host/machine.h"
#include "harness/run/process/launcher.h"

namespace scalestudy {

// What the machine's counters say about the time a trial took.
struct Load {
  std::optional<double> foreign;  // cores' worth of CPU time that was not the trial's, >= 0
  std::optional<double> steal;    // cores' worth the hypervisor gave to others
};

// CPU time of a trial's processes and, where these have emulated links, of the packets on them: the
// kernel counts that as nobody's. 10 Gbit/s take 0.2 cores of it.
double own_cpu_s(const LaunchResult& launch,
                 const CpuTimes& before,
                 const CpuTimes& after,
                 bool has_links);

// elapsed_s  between the two readings; cpu_s of the trial: own_cpu_s().
// returns    nothing for a trial below 0.2 s: the counters tick in 10 ms on every core, which is
//            more than the 3 % that analysis looks for.
Load measure_load(const CpuTimes& before, const CpuTimes& after, double elapsed_s, double cpu_s);

}  // namespace scalestudy

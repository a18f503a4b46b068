#include "harness/run/machine/load.h"

#include <algorithm>

namespace scalestudy {

double own_cpu_s(const LaunchResult& launch,
                 const CpuTimes& before,
                 const CpuTimes& after,
                 bool has_links) {
  return launch.cpu_s + (has_links ? after.softirq_s - before.softirq_s : 0.0);
}

Load measure_load(const CpuTimes& before, const CpuTimes& after, double elapsed_s, double cpu_s) {
  constexpr double resolvable_s = 0.2;
  if (!(elapsed_s >= resolvable_s)) {
    return {};
  }
  // Below 0 it is still the ticks' rounding.
  return Load{.foreign = std::max(0.0, (after.busy_s - before.busy_s - cpu_s) / elapsed_s),
              .steal = std::max(0.0, (after.steal_s - before.steal_s) / elapsed_s)};
}

}  // namespace scalestudy

#include "harness/run/machine/load.h"

#include <algorithm>

#include "harness/study/declared/validity.h"

namespace scalestudy {

double own_cpu_s(const LaunchResult& launch,
                 const CpuTimes& before,
                 const CpuTimes& after,
                 bool has_links) {
  return launch.cpu_s + (has_links ? after.softirq_s - before.softirq_s : 0.0);
}

Load measure_load(const CpuTimes& before,
                  const CpuTimes& after,
                  double elapsed_s,
                  double cpu_s,
                  std::int64_t cores) {
  constexpr double tick_s = 0.01;
  const bool is_short = !(elapsed_s >= kShortestLoadS);
  const double hidden_s = is_short ? tick_s * static_cast<double>(cores) : 0.0;
  const auto taken = [&](double seconds) -> std::optional<double> {
    if (is_short && !(elapsed_s > 0.0 && seconds > hidden_s)) {
      return std::nullopt;
    }
    // Below 0 and above all cores it is still the ticks' rounding.
    return std::clamp((seconds - hidden_s) / elapsed_s, 0.0, static_cast<double>(cores));
  };
  return {.foreign = taken(after.busy_s - before.busy_s - cpu_s),
          .steal = taken(after.steal_s - before.steal_s)};
}

}  // namespace scalestudy

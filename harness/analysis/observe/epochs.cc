#include "harness/analysis/observe/epochs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalestudy {

bool is_of_epochs(const std::string& metric) {
  return metric.starts_with("epoch_");
}

void add_epochs(const SeriesRow& series,
                TrialObservation& trial,
                std::map<std::string, std::string>& units) {
  constexpr std::size_t most = 20;
  const std::size_t every = (series.values.size() + most - 1) / most;
  for (std::size_t epoch = series.values.size(); epoch > 0; epoch -= std::min(every, epoch)) {
    const double value = series.values[epoch - 1];
    if (std::isfinite(value)) {
      const std::string name = series.metric + ":" + std::to_string(epoch);
      trial.metrics[name] = {
          .steps = 1, .mean = value, .p50 = value, .p95 = value, .p99 = value, .last = value};
      units.emplace(name, series.unit);
    }
  }
}

}  // namespace scalestudy

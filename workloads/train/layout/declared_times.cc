#include "workloads/train/layout/declared_times.h"

#include <algorithm>
#include <numeric>

#include "workloads/train/layout/pipeline.h"

namespace scalestudy::train {

double declared_stage_s(const Options& options, std::size_t stage) {
  if (!options.pipeline.is_on()) {
    return options.declared_step_s();
  }
  const double share =
      sum_over(model::flop_by_unit(options.model), units_of_stages(options)[stage]) /
      model::flop_per_sample(options.model);
  return options.declared->step_s +
         options.declared->sample_s * static_cast<double>(options.batch_global) * share;
}

double longest_declared_s(const Options& options) {
  double longest_s = 0.0;
  for (std::size_t rank = 0; rank < options.ranks(); ++rank) {
    longest_s = std::max(longest_s, declared_stage_s(for_rank(options, rank), rank));
  }
  return longest_s;
}

std::vector<double> declared_unit_times(const Options& options) {
  std::vector<double> unit_s = model::flop_by_unit(options.model);
  const auto parts = static_cast<double>(options.accumulation_steps);
  if (options.pipeline.is_on()) {
    const model::UnitRun own = stage_units(options);
    unit_s = {unit_s.begin() + static_cast<std::ptrdiff_t>(own.first),
              unit_s.begin() + static_cast<std::ptrdiff_t>(own.end)};
  }
  const double own_flop = std::accumulate(unit_s.begin(), unit_s.end(), 0.0);
  for (double& unit : unit_s) {
    const double share =
        own_flop > 0.0 ? unit / own_flop : 1.0 / static_cast<double>(unit_s.size());
    unit = share * declared_stage_s(options, options.pipeline.stage) / parts;
  }
  return unit_s;
}

}  // namespace scalestudy::train

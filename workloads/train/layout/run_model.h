// The model that a run trains, or one that only sleeps in its place.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "workloads/model/declared.h"
#include "workloads/model/make_model.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/pipeline.h"
#include "workloads/train/memory/memory.h"

namespace scalestudy::train {

// What each unit of this rank takes in a micro-step, forward and backward, s: the declared time by
// their FLOP; each stage of a pipeline takes that of the step beside its samples.
inline std::vector<double> declared_unit_times(const Options& options) {
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

// Of one micro-step's batch. `ops` and `arena` outlive the model.
template <typename T>
std::unique_ptr<model::Model<T>> make_run_model(const Options& options,
                                                ops::Ops<T>& ops,
                                                device::Arena& arena) {
  const model::Layout layout = model_layout(options, sizeof(T));
  if (options.declared) {
    return model::make_declared_model<T>(
        plan_units(options), declared_unit_times(options), layout, arena);
  }
  return model::make_model<T>(
      options.model, options.batch_per_device / options.accumulation_steps, ops, arena, layout);
}

}  // namespace scalestudy::train

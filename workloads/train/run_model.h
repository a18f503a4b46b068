// The model that a run trains, or one that only sleeps in its place.
#pragma once

#include <memory>
#include <vector>

#include "workloads/model/declared.h"
#include "workloads/model/make_model.h"
#include "workloads/train/layout.h"
#include "workloads/train/memory.h"

namespace scalestudy::train {

// What each unit of the run's model takes in a micro-step of this rank, forward and backward, s:
// the declared time by their FLOP.
inline std::vector<double> declared_unit_times(const Options& options) {
  std::vector<double> unit_s = model::flop_by_unit(options.model);
  const double flop = model::flop_per_sample(options.model);
  for (double& unit : unit_s) {
    unit *= options.declared_step_s() / static_cast<double>(options.accumulation_steps) / flop;
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

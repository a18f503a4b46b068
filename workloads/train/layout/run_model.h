// The model that a run trains, or one that only sleeps in its place.
#pragma once

#include <memory>

#include "workloads/model/declared.h"
#include "workloads/model/make_model.h"
#include "workloads/train/layout/declared_times.h"
#include "workloads/train/layout/layout.h"

namespace scalestudy::train {

// Makes the model for one micro-step's batch. `ops` and `arena` outlive the model.
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

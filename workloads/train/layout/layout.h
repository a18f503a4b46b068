// How a run's model lies in the memory of its ranks, and which of its gradients travel together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/sync/buckets.h"
#include "workloads/sync/low_rank.h"
#include "workloads/sync/sharded.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The layout of the run's model. Where ranks share a model, the elements of each unit are a
// multiple of the number of ranks, and each share begins as tensors do (model/shape/padding.h).
// With a pipeline the layout of the rank's stage, without parameters and gradients, which several
// models share (stage_models.h).
// - element_bytes: of a parameter.
model::Layout model_layout(const Options& options, std::size_t element_bytes);

// The units of the run's model; with a pipeline those of this rank's stage. Plans the model without
// taking its memory.
std::vector<model::Unit> plan_units(const Options& options);

// Bytes of a parameter.
std::size_t element_bytes(Precision precision);

// Whether ranks that have shares of the gradients sum, in a step, the squares of their shares: for
// the limit on the norm of all, or to find with fp16 whether a gradient of some rank overflowed.
bool sums_squares(const Options& options);

// Whether parameters have the same bits on every rank: false if gradients are not summed.
bool is_replicated(const Options& options);

// The buckets in which gradients travel, padding included, in the order they become ready. Buckets
// consist of tensors; if ranks share a model, of its units; if they share gradients, of one unit.
// - units: of the run's model; not read without sharding.
std::vector<sync::Bucket> make_buckets(const Options& options, std::span<const model::Unit> units);

// The places of each tensor's gradients without sharding.
std::vector<sync::GradientTensor> gradient_tensors(const Options& options);

// The model's units as the run's strategy keeps them.
std::vector<sync::ShardedUnit> sharded_units(const Options& options,
                                             std::span<const model::Unit> units);

// How many places the units that are not kept share for their parameters (fsdp), and for their
// gradients (zero2, fsdp).
std::size_t parameter_turns(const Options& options);
std::size_t gradient_turns(const Options& options);

// Takes a place for each unit that is kept, and `turns` places that hold any of the others; none of
// these if all units are kept.
template <typename T>
std::vector<void*> take_places(device::Arena& arena,
                               std::span<const sync::ShardedUnit> units,
                               std::size_t turns) {
  std::vector<void*> places;
  std::size_t largest = 0;
  for (const sync::ShardedUnit& unit : units) {
    if (unit.is_kept) {
      places.push_back(arena.take<T>(unit.count).data());
    } else {
      largest = std::max(largest, unit.count);
    }
  }
  for (std::size_t i = 0; largest > 0 && i < turns; ++i) {
    places.push_back(arena.take<T>(largest).data());
  }
  return places;
}

// The values of a flat buffer without the padding after units.
template <typename T>
std::vector<double> tensors_of(std::span<const T> values, std::span<const model::Unit> units) {
  std::vector<double> tensors;
  for (const model::Unit& unit : units) {
    const std::span<const T> own = values.subspan(unit.offset, unit.tensors);
    tensors.insert(tensors.end(), own.begin(), own.end());
  }
  return tensors;
}

}  // namespace scalestudy::train

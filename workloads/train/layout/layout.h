// How a run's model lies in the memory of its ranks, and what of it travels together.
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

// Where ranks share what is kept of a model, each unit is a multiple of the ranks' number, and each
// share begins as tensors do (model/padding.h). Of a pipeline that of the rank's stage, without
// parameters and gradients, which several models share (stage_models.h).
//   element_bytes  of a parameter
model::Layout model_layout(const Options& options, std::size_t element_bytes);

// The units of the run's model; of a pipeline those of this rank's stage. Plans the model without
// taking its memory.
std::vector<model::Unit> plan_units(const Options& options);

// Bytes of a parameter.
std::size_t element_bytes(Precision precision);

// Whether parameters stay the same bits on every rank: not where gradients are not summed.
bool is_replicated(const Options& options);

// What gradients travel in, padding included, in the order they become ready: of tensors, of units
// of the model where ranks share what is kept of it, each unit by itself where they share
// gradients.
//   units  of the run's model; not read without sharding.
std::vector<sync::Bucket> make_buckets(const Options& options, std::span<const model::Unit> units);

// That each rank hands over to be summed in a step; of local_sgd, which averages parameters, or
// fp32 masters of 16-bit ones, in some steps alone, their mean over steps.
std::size_t wire_bytes(const Options& options, std::span<const sync::Bucket> buckets);

// Where the gradients of each tensor lie without sharding.
std::vector<sync::GradientTensor> gradient_tensors(const Options& options);

// What a rank has to send in a step, at least, whatever algorithm moves it: (N-1)/N of what N ranks
// scatter or gather, twice that of what they all-reduce. source: Patarasuk and Yuan, J. Parallel
// Distrib. Comput. 69 (2009), whose ring reaches it.
std::size_t traffic_bytes(const Options& options, std::span<const model::Unit> units);

// What of it leaves the rank's node, of so many ranks, in a hierarchical all-reduce: all ranks of a
// node together send 2 (n-1)/n of the gradients to those of n-1 others.
std::size_t node_traffic_bytes(const Options& options, std::size_t node_ranks);

// Units as the run's strategy keeps them.
std::vector<sync::ShardedUnit> sharded_units(const Options& options,
                                             std::span<const model::Unit> units);

// How many places units that are not kept take in turn for their parameters (fsdp), and for their
// gradients (zero2, fsdp).
std::size_t parameter_turns(const Options& options);
std::size_t gradient_turns(const Options& options);

// A place for each unit that is kept, and `turns` that hold any of the others; where all are kept,
// none.
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

// Of a flat buffer, without the padding behind units.
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

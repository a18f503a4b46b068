// How a run's model lies in the memory of its ranks, and what of it travels together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/sync/buckets.h"
#include "workloads/train/options.h"

namespace scalestudy::train {

// Where ranks share what is kept of a model, each unit is a multiple of the ranks' number, and each
// share begins as tensors do (model/padding.h).
//   element_bytes  of a parameter
model::Layout model_layout(const Options& options, std::size_t element_bytes);

// Of a parameter.
std::size_t element_bytes(Precision precision);

// What gradients travel in, padding included, in the order they become ready: tensors, or units of
// the model where ranks share what is kept of it.
//   units  of the run's model; not read without sharding.
std::vector<sync::Bucket> make_buckets(const Options& options, std::span<const model::Unit> units);

// What a rank has to send in a step, at least, whatever algorithm moves it: (N-1)/N of what N ranks
// scatter or gather, twice that of what they all-reduce. source: Patarasuk and Yuan, J. Parallel
// Distrib. Comput. 69 (2009), whose ring reaches it.
std::size_t traffic_bytes(const Options& options, std::span<const model::Unit> units);

}  // namespace scalestudy::train

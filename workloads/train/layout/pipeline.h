// Sizes of a pipeline's stages that follow from the options alone: units, elements, bytes sent.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The units of every stage, in the order of stages (model/stages.h).
std::vector<model::UnitRun> units_of_stages(const Options& options);

// The sum of a stage's values.
// - values: one of each unit of the model.
template <typename Number>
Number sum_over(const std::vector<Number>& values, const model::UnitRun& run) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(run.first),
                         values.begin() + static_cast<std::ptrdiff_t>(run.end),
                         Number{0});
}

// The units of this rank's stage (model/stages.h); for options with a pipeline.
model::UnitRun stage_units(const Options& options);

// Elements of a micro-batch that a stage reads from the one before it; 0 for the first stage, and
// for `stage` = number of stages, where the last one hands on nothing.
std::size_t handed_elements(const Options& options, std::size_t stage);

// The most micro-batches of which a stage keeps what backward needs.
std::size_t copies_of(const Options& options, std::size_t stage);

// Elements of GPT's token table, with padding, on the first stage, whose embedding reads it, and on
// the last, which multiplies with it: both have a copy and add each other's gradient to their own.
// 0 on other stages and for other models.
std::size_t shared_elements(const Options& options, std::size_t stage);

// Elements of all buffers between a stage with this many copies and its neighbours
// (stage_models.h).
std::size_t buffer_elements(const Options& options, std::size_t stage, std::size_t copies);

// Bytes that a stage sends in a step: for each micro-batch activations to the next stage, and as
// many gradients as it has read activations to the one before; and the gradient of a shared table.
// The sum over stages is twice what crosses their borders forward, plus the table twice.
std::size_t sent_bytes(const Options& options, std::size_t stage);

}  // namespace scalestudy::train

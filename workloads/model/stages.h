// Divides a model into the stages of a pipeline.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// Divides the model's units into contiguous runs, the first stage's first, so that the stage with
// the most FLOP (flop_by_unit), for which a step waits, has as few as possible. Among several such
// divisions the one with the least sum of squares. Parameters may be uneven.
//   stage_count  in [1, units of the model]
//   throws       std::invalid_argument for another.
std::vector<UnitRun> divide_units(const ModelSpec& spec, std::size_t stage_count);

// Elements of a sample that each unit reads from the one before it, in the order of units; 0 for
// the last unit, which reads the model's input.
std::vector<std::size_t> input_widths(const ModelSpec& spec);

// Parameters of each unit, without padding, in the order of units.
//   units  of the whole model, whose elements have `element_bytes`.
std::vector<std::size_t> parameters_by_unit(const ModelSpec& spec,
                                            const std::vector<Unit>& units,
                                            std::size_t element_bytes);

}  // namespace scalestudy::model

// What a declared step takes: each stage of a pipeline, the slowest rank, each unit of the model.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The declared time of a step of one stage, s: of the time per sample the stage's share of the
// FLOP, of the time per step all. Without a pipeline the declared time of the rank's step.
double declared_stage_s(const Options& options, std::size_t stage);

// The declared time of a step on the rank that takes longest, s.
// - options: of the run, not of for_rank().
double longest_declared_s(const Options& options);

// The time each unit of this rank takes in a micro-step, forward and backward, s: the declared time
// of the rank's stage, divided in proportion to the units' FLOP (equally where none has any).
std::vector<double> declared_unit_times(const Options& options);

}  // namespace scalestudy::train

// Where the one rank of a control device_match runs: where that rank of several would. Pure.
#pragma once

#include <cstdint>

#include "harness/run/command/command.h"

namespace scalestudy {

// For a cell on a device other than the first: gives its command the cores that this rank has among
// several (first_core), or says in `unsupported` why it cannot have them. Leaves other cells alone.
// - cores: Machine::cores().
void choose_cores(const Cell& cell, std::int64_t cores, LaunchCommand& command);

// For a cell on a device other than the first: leaves the GPU that this rank has among several as
// the only visible one (CUDA_VISIBLE_DEVICES), or says in `unsupported` why there is none. Leaves
// other cells alone.
// - gpus: Machine::gpus().
void choose_gpu(const Cell& cell, std::int64_t gpus, LaunchCommand& command);

}  // namespace scalestudy

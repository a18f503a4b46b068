// Where the one rank of a control device_match runs: where that rank of several would. Pure.
#pragma once

#include <cstdint>

#include "harness/run/command/command.h"

namespace scalestudy {

// Gives the command of a cell on a device other than the first the cores of that rank of several
// (first_core), or says in `unsupported` why it cannot have them. Nothing for other cells.
//   cores  of the machine.
void choose_cores(const Cell& cell, std::int64_t cores, LaunchCommand& command);

// Likewise, in CUDA_VISIBLE_DEVICES, the GPU that this rank takes of those that are visible, as the
// only one that the trial sees.
//   gpus  of the machine.
void choose_gpu(const Cell& cell, std::int64_t gpus, LaunchCommand& command);

}  // namespace scalestudy

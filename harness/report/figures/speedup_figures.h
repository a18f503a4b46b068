// Figures of the speedup along the parameter whose break-even is asked for.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// Definitions for the script speedup.gp, one text a figure, with the ranges in which a threshold
// lies and a series for each number of devices and configuration. The axis is the numeric one that
// a threshold runs along, else the batch; no figure with fewer than two values of it.
std::vector<std::string> speedup_definitions(const ReportInput& input, const Group& group);

// The cells whose series each of these figures shows.
std::vector<std::vector<const CellRow*>> speedup_cells(const ReportInput& input,
                                                       const Group& group);

}  // namespace scalestudy::report

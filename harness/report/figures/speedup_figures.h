// Figures of the speedup along the parameter whose break-even is asked for.
#pragma once

#include <string>
#include <vector>

#include "harness/report/figures/figure_series.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The figures, for the script speedup.gp, with the ranges in which a threshold lies and a series
// for each number of devices and configuration. The axis is the numeric one that
// a threshold runs along, else the batch; no figure with fewer than two values of it. If batches
// differ with the devices alone, the axis is the devices, and a series has one setting.
std::vector<GroupFigure> speedup_figures(const ReportInput& input, const Group& group);

// What the figure of the group's cells `shown` shows: "Speedup of 2 devices and 4 devices against
// global batch, with intervals and the line of no gain: 0.875 to 3.11". The verdicts are sentences.
std::string speedup_text(const ReportInput& input, const Group& group, const Group& shown);

}  // namespace scalestudy::report

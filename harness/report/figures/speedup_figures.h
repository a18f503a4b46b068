// Figures of the speedup along the axis of the thresholds.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// Definitions of the figures, each with the ranges in which a threshold lies; one series a number
// of devices and configuration. None with fewer than two values of the axis: the numeric one that
// is declared, else the batch.
std::vector<std::string> speedup_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report

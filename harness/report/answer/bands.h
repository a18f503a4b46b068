// What holds over a range: the efficiency that every tested number of devices up to one has, and
// for how many models of a size a device pays.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "at least 92 % up to 8 devices, 61 % up to 256 (batch 32 per device)": the smallest lower end of
// an interval of the efficiency up to there. One for each batch and configuration with two tested
// numbers of devices or more beside the base.
std::vector<std::string> efficiency_bands(const ReportInput& input);

// "at most 9 % up to 8 devices, 29 % up to 256": the largest upper end of the share of the step
// that is communication, likewise.
std::vector<std::string> overhead_bands(const ReportInput& input);

}  // namespace scalestudy::report

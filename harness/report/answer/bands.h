// What holds over a range of devices: the least efficiency and the largest share of communication
// of all tested numbers of devices up to one.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "at least 92 % up to 8 devices, 61 % up to 256 (batch 32 per device)": the smallest lower end of
// the intervals of efficiency up to that number of devices. One text for each batch and
// configuration with two or more tested numbers of devices beside the base, which is named if it
// has another batch: "(batch 64 per device; base: 1 device, batch 32 per device)".
std::vector<std::string> efficiency_bands(const ReportInput& input);

// "at most 9 % up to 8 devices, 29 % up to 256": the largest upper end of the intervals of the
// share of the step that is communication, for the same curves as efficiency_bands().
std::vector<std::string> overhead_bands(const ReportInput& input);

}  // namespace scalestudy::report

// Figures of a collective: bandwidth and time against the size of the message.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input.h"
#include "harness/report/layout.h"

namespace scalestudy::report {

// Definitions of the figures of bus bandwidth, then of those of time; one series a number of
// devices and configuration. None with fewer than two sizes, or for another workload.
std::vector<std::string> message_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report

// What is found over the message sizes of a collective: the best bandwidth and the shortest time.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

// "8.40 ± 0.25 ms": each time with its own unit, since those of one curve span five orders of
// magnitude.
std::string operation_time_text(const Measure& time);

// "3.30 [3.10, 3.50]", in GB/s.
std::string bandwidth_text(const Measure& rate);

// A sentence on each curve (number of devices and configuration): its highest bus bandwidth and the
// time of its smallest message.
std::vector<std::string> message_findings(const ReportInput& input);

}  // namespace scalestudy::report

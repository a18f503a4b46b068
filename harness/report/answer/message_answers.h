// What sizes of message a collective was timed with: the best bandwidth, the shortest time.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

inline constexpr const char* kBusBandwidth = "busbw_bytes_per_s";

// "8.40 ± 0.25 ms": each time with its own unit, since those of one curve span five orders of
// magnitude.
std::string operation_time_text(const Measure& time);

// "3.30 [3.10, 3.50]", in GB/s.
std::string bandwidth_text(const Measure& rate);

// The best bandwidth and the shortest time of each number of devices, as sentences.
std::vector<std::string> message_findings(const ReportInput& input);

}  // namespace scalestudy::report

// Figures of a collective: bandwidth and time against the size of the message.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The line time = latency + size/bandwidth that was fitted to a curve of sizes.
struct FittedLine {
  const LawRow* alpha = nullptr;      // latency_s, with its interval
  const LawRow* bandwidth = nullptr;  // bytes/s
};

// Of the curve that the cell is of; absent where no line was fitted, or the fit was rejected.
std::optional<FittedLine> fitted_line(const ReportInput& input, const CellRow& cell);

// "2 devices: latency 2.1 [2.0, 2.2] µs, bandwidth 3.3 [3.1, 3.5] GB/s; ..." of the group's curves
// that have one; "" without any.
std::string fitted_lines_text(const ReportInput& input, const Group& group);

// Definitions of the figures of bus bandwidth, then of those of time; one series a number of
// devices and configuration. None with fewer than two sizes, or for another workload.
std::vector<std::string> message_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report

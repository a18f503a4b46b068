// Figures of a collective operation: bandwidth and time against the size of the message.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The line time = latency + size/bandwidth that was fitted to a curve of sizes.
struct FittedLine {
  const LawRow* alpha = nullptr;      // the latency, in s, with its interval
  const LawRow* bandwidth = nullptr;  // in bytes/s, with its interval
};

// The line that was fitted to the cell's curve; absent without a fit, and where the fit was
// rejected.
std::optional<FittedLine> fitted_line(const ReportInput& input, const CellRow& cell);

// The fitted lines of the group's curves: "2 devices: latency 2.1 [2.0, 2.2] µs, bandwidth 3.3
// [3.1, 3.5] GB/s; ..."; "" without any.
std::string fitted_lines_text(const ReportInput& input, const Group& group);

// Definitions for the script message.gp: the figures of bus bandwidth, then those of time, with a
// series for each number of devices and configuration. None with fewer than two sizes, or for
// another workload.
std::vector<std::string> message_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report

// What the cells of a group have estimates of, and estimates as a table says them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

// The cells of the group that have an estimate of the metric (its mean over all trials).
std::vector<const CellRow*> cells_with(const ReportInput& input,
                                       const Group& group,
                                       const std::string& metric);

// The unit in which a table shows all step times of the cells, by the longest.
Scale time_scale(const ReportInput& input, const std::vector<const CellRow*>& cells);

// The unit in which all tables show memory of a device, by the largest peak: that of targets on it.
Scale memory_scale(const ReportInput& input);

// "7.5" of bytes in that unit; "" where they are not known.
std::string memory_text(std::optional<double> bytes, const Scale& memory);

// What tables and sentences call a metric of analysis.metrics: "peak memory", "recovery time"; its
// name if it is of a program of the user's own.
std::string metric_name(const ReportInput& input, const std::string& metric);

// The unit in which estimates of the metric are stored; "" for a pure number, or without any.
std::string unit_of(const ReportInput& input, const std::string& metric);

// Trials used over trials planned: "5/5", or "3/5" where trials failed or are still to run; "0"
// without a row.
std::string trials_used(const EstimateRow* row);

// The confidence of intervals, "95 %"; of a run for verdicts also that of comparisons, which allow
// for its looks: "95 % (comparisons: 98.11 to 98.46 %)".
std::string confidence_text(const ReportInput& input);

// Share of a device's memory that the cell takes at its peak; nothing if neither its trials nor its
// parameter device_memory_gb tell how much a device has, and with compute declared.
std::optional<double> device_memory_share(const ReportInput& input, const CellRow& cell);

// What the link between the cell's devices could carry; nullptr if that is not known.
const VolumeRow* link_of(const ReportInput& input, const CellRow& cell);

// The cell's bus bandwidth over that rate, in percent: "31.2 [28.1, 34.4]"; "" if it is not known.
std::string link_share_text(const ReportInput& input, const CellRow& cell);

// The row's value and interval; all absent for nullptr.
inline Measure measure_of(const EstimateRow* row) {
  return row == nullptr ? Measure{} : scalestudy::measure_of(*row);
}

}  // namespace scalestudy::report

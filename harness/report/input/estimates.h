// What the cells of a group have estimates of, and estimates as a table says them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

// Cells of the group that have an estimate of this metric.
std::vector<const CellRow*> cells_with(const ReportInput& input,
                                       const Group& group,
                                       const std::string& metric);

// The unit of all step times of a group.
Scale time_scale(const ReportInput& input, const Group& group);

// "5/5", or "3/5" where trials failed or are still to run; "0" without a row.
std::string trials_used(const EstimateRow* row);

// As of the row; nothing without one.
inline Measure measure_of(const EstimateRow* row) {
  return row == nullptr ? Measure{} : scalestudy::measure_of(*row);
}

}  // namespace scalestudy::report

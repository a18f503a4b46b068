// Which trials a result rests on: the CSV files name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/input.h"

namespace scalestudy::report {

// Trials of `cell_id` that a comparison with `other_id` rests on: in an order of blocks those whose
// block holds both; compared by sessions those whose session does. Sorted ids.
std::vector<std::int64_t> compared_trials(const ReportInput& input,
                                          const ComparisonRow& row,
                                          std::int64_t cell_id,
                                          std::int64_t other_id);

// Trials of the cells that a threshold or law is about, and of their baselines unless a law is of
// the curve alone: measured cells
// whose varied parameters, but for the one it runs along, all stand in its group label. Sorted ids.
std::vector<std::int64_t> group_trials(const ReportInput& input,
                                       const std::string& group_label,
                                       const std::string& along,
                                       bool with_baselines = true);

}  // namespace scalestudy::report

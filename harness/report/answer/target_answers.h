// Which declared targets are met, each counted once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// How many cells the target of that name is judged for.
std::size_t target_cells(const ReportInput& input, const std::string& name);

// One row for each target: the row over all its cells where it has several cells, else that of its
// cell.
std::vector<const TargetResultRow*> distinct_targets(const ReportInput& input);

// How many targets were met, with the names of the others: "1 met, 1 missed (second device pays)";
// "" without targets.
std::string target_summary(const ReportInput& input);

}  // namespace scalestudy::report

// Which declared targets are met, without saying one twice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// Cells that the target of that name has a row for.
std::size_t target_cells(const ReportInput& input, const std::string& name);

// Each target once: over its cells, where it has several.
std::vector<const TargetResultRow*> distinct_targets(const ReportInput& input);

// "1 met, 1 missed (second device pays)"; "" without targets.
std::string target_summary(const ReportInput& input);

}  // namespace scalestudy::report

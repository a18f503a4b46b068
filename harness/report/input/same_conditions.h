// Cells under the same conditions, and their names where the conditions are said already.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// Cells under the same conditions (conditions_of), whatever their batch: a training reaches its end
// with any. Devices are chosen unless the study's `decide` leaves them out.
struct SameConditions {
  std::map<std::string, std::string> conditions;  // those that tell them from the others
  std::string label;  // "strategy ddp"; of more conditions than are told "strategy ddp (1 of 4)"
  std::vector<const CellRow*> cells;
};

// The cells by their conditions, at most the first three. Without `decide` only the first, as the
// workload's own are no choice.
std::vector<SameConditions> by_conditions(const ReportInput& input,
                                          const std::vector<const CellRow*>& cells);

// ", batch 64": the end of the names of these cells, whole words of it, that their label says, or
// else that all cells of the report share. "" without one, and for a single cell.
std::string said_end(const ReportInput& input, const SameConditions& same);

// short_name() without that end.
std::string name_without(const ReportInput& input, const CellRow& cell, const std::string& end);

}  // namespace scalestudy::report

// What breaks one rule of lint.h, and which of the rules has a file of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

struct Outcome {
  bool applies = true;
  std::vector<std::string> broken = {};  // what breaks the rule: cells, names
  std::set<std::string> advice = {};     // what to do about these; empty: the rule's own advice
};

// Cells of the study itself whose mean step time is known.
std::vector<const CellRow*> measured_cells(const ReportInput& input);

// The rule `knobs`, in lint_knobs.cc.
Outcome knobs(const ReportInput& input);

}  // namespace scalestudy::report

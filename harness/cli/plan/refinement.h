// The search for break-evens (analysis.thresholds[].refine), and what `run` and `plan` say of it.
#pragma once

#include <string>

#include "harness/cli/plan/plan_history.h"
#include "harness/cli/terminal.h"
#include "harness/run/run_study.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The rule by which `run` adds tested values; it notes each value and the reason on the terminal.
// An empty function for a study that refines nothing. Study and terminal must outlive the rule.
FurtherCellsRule further_cells_rule(const Study& study, Terminal& terminal);

// What the rule may add: "refine may add up to 8 cells of 10 trials each: about 12 min"; "" for a
// study that refines nothing.
std::string refinement_text(const Study& study, const Matrix& matrix, const PlanHistory& history);

}  // namespace scalestudy

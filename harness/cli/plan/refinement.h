// The search for break-evens (analysis.thresholds[].refine) as `run` and `plan` tell it.
#pragma once

#include <string>

#include "harness/cli/plan/plan_history.h"
#include "harness/cli/terminal.h"
#include "harness/run/run_study.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Tells each value that it adds, and why. Empty for a study that refines nothing. Study and
// terminal outlive it.
FurtherCellsRule further_cells_rule(const Study& study, Terminal& terminal);

// What `run` may add: "refine may add up to 8 cells of 10 trials each: about 12 min"; empty for a
// study that refines nothing.
std::string refinement_text(const Study& study, const Matrix& matrix, const History& history);

}  // namespace scalestudy

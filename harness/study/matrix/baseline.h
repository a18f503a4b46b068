// Finds the cell each speedup is relative to.
#pragma once

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Fills Cell::baseline or Cell::baseline_problem of measured cells; without analysis.baseline it
// does nothing. The rule:
//   1. A cell that has the baseline's values is its own baseline.
//   2. Otherwise the baseline is the cell that has the baseline's values and equals this one in
//      every other varied parameter; in weak scaling the batch of a device has to be equal, not the
//      global one.
//   3. If that cell is excluded or does not exist, the baseline is the one that rule 2 finds with
//      parameters that matter only between ranks (communication settings, and nodes) at their
//      defaults. With one device they have no effect, so studies exclude them there.
void find_baselines(const Study& study, Matrix& matrix);

}  // namespace scalestudy

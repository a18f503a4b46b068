// Finds the cell each speedup is relative to.
#pragma once

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Fills Cell::baseline or Cell::baseline_problem of measured cells; without analysis.baseline it
// does nothing. The rule:
//   1. A cell that has the baseline's values is its own baseline.
//   2. Otherwise the cell that has the baseline's values and equals this one in every other varied
//      parameter; in weak scaling the batch of a device, not the global one, is what is equal.
//   3. When that one is excluded or does not exist: the same, with the parameters that matter only
//      between ranks (communication settings, and nodes) at their defaults. With one device they
//      have no effect, which is why studies exclude them there.
void find_baselines(const Study& study, Matrix& matrix);

}  // namespace scalestudy

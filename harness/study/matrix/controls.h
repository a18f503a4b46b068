// The cells that the harness adds to those that a study declares (`controls`).
#pragma once

#include <vector>

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Controls of the measured cells that the study declares, with their baselines found; of cells that
// a run added there are none. Each cell's in the order of CellRole, then those of device_match: one
// cell of one device, that with the largest batch (of several the first), on each further device of
// a node. Empty where the study asks for none.
std::vector<Cell> make_controls(const Study& study, const std::vector<Cell>& cells);

}  // namespace scalestudy

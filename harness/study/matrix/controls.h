// The cells that the harness adds to those that a study declares (`controls`).
#pragma once

#include <vector>

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Makes the controls of measured cells that the study declares; cells that a run added have none.
// First come the controls of each cell, in the order of CellRole, then those of device_match: the
// cell of one device with the largest batch (the first of several) on each further device of a
// node. Empty if the study asks for none.
// - cells: with their baselines found.
std::vector<Cell> make_controls(const Study& study, const std::vector<Cell>& cells);

}  // namespace scalestudy

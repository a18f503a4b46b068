// What cells of a matrix cannot be measured.
#pragma once

#include "harness/study/matrix.h"

namespace scalestudy {

// Throws Error{kUsage} that names the measured cells when two are equal, a batch is not divisible
// by its devices or devices by nodes, or values cannot go together.
void check_cells(const Study& study, const Matrix& matrix);

}  // namespace scalestudy

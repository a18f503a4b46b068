// What cells of a matrix cannot be measured.
#pragma once

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Throws Error{kUsage} that names the measured cells when two are equal, a batch is not divisible
// by its devices or devices by nodes, or values cannot go together.
void check_cells(const Study& study, const Matrix& matrix);

// Throws Error{kUsage} that begins with the name of an environment variable that differs between
// cells of a built-in workload and that nothing in one of them reads.
void check_variables(const Matrix& matrix);

}  // namespace scalestudy

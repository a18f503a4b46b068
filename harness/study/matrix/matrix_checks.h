// Checks that the cells of a matrix can be measured.
#pragma once

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Throws Error{kUsage} that names the measured cells when two are equal, a batch is not divisible
// by its devices or devices by nodes, or values cannot be combined.
void check_cells(const Study& study, const Matrix& matrix);

// Throws Error{kUsage} if an environment variable differs between cells of a built-in workload
// while nothing in one of these cells reads it. The message begins with the variable's name.
void check_variables(const Matrix& matrix);

}  // namespace scalestudy

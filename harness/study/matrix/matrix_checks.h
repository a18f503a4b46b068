// Checks that the cells of a matrix can be measured.
#pragma once

#include <string>
#include <vector>

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Throws Error{kUsage} that names the measured cells when two are equal, a batch is not divisible
// by its devices or devices by nodes, or values cannot be combined.
void check_cells(const Study& study, const Matrix& matrix);

// Throws Error{kUsage} if an environment variable is set in some cells of a built-in workload while
// nothing in one of these cells reads it, or while none of them has a second rank that a variable
// of communication could matter to. The message begins with the variable's name.
void check_variables(const Matrix& matrix);

// A sentence for each environment variable that the study sets for all cells of a built-in workload
// while none of them reads it, and for each varied parameter of `train` that matters to no cell.
std::vector<std::string> unread_variables(const Study& study, const Matrix& matrix);

}  // namespace scalestudy

// Checks that the cells of a matrix can be measured.
#pragma once

#include <string>
#include <vector>

#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Throws Error{kUsage} that names the measured cells when two are equal, a batch is not divisible
// by its devices or devices by nodes, or values cannot be combined.
void check_cells(const Study& study, const Matrix& matrix);

// Throws Error{kUsage}, whose message begins with the name, for the study of a built-in workload:
// - if it varies a parameter that none of the cells that set it reads
// - if it sets an environment variable in some cells while nothing in one of these reads it, or
//   none of them has a second rank that a variable of communication could matter to
void check_settings(const Study& study, const Matrix& matrix);

// A sentence for each parameter and environment variable that the study of a built-in workload sets
// while no cell reads it, and for each varied parameter of `train` that matters between ranks alone
// while its cells have one device.
std::vector<std::string> unread_settings(const Study& study, const Matrix& matrix);

}  // namespace scalestudy

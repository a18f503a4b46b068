// Targets and limits that no trials of the planned study can meet.
#pragma once

#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A sentence for each target or limit on the efficiency with a cell that cannot have one: its base
// has as many devices, or differs in another setting as well. Also if it means no cell but
// baselines.
std::vector<std::string> targets_without_efficiency(const Study& study, const Matrix& matrix);

}  // namespace scalestudy

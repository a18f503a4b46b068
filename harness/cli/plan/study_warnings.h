// What to tell of a study before time is spent on it.
#pragma once

#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/world/nodes.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A sentence each: cells that are oversubscribed or unsupported here, sides that run one program,
// selections without a cell (after --set: a file with such is refused), axes that are hardly what
// they are called.
std::vector<std::string> study_warnings(const Study& study,
                                        const Matrix& matrix,
                                        Machine& machine,
                                        const Nodes& nodes = {});

}  // namespace scalestudy

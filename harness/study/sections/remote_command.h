// Where a command's devices are, and what a study cannot declare if they are elsewhere.
#pragma once

#include "harness/study/declared/study.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

// Reads `where`. If it is remote, reports what only makes sense for devices of the machine that
// starts the command: `validity`, a `backend` of the built-in workloads, variables that choose or
// bind devices, and placeholders of nodes that scalestudy starts the command on.
Where read_where(Fields& root, ProblemList& problems);

}  // namespace scalestudy

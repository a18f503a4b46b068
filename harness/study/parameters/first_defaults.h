// Defaults that have changed since cells were first hashed.
#pragma once

#include "harness/study/declared/study.h"

namespace scalestudy {

// The first version's default of each parameter of the workload whose default has changed since.
Parameters first_defaults(Workload workload);

}  // namespace scalestudy

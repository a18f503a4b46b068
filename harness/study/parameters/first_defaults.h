// Defaults that have changed since cells were first hashed.
#pragma once

#include "harness/study/declared/study.h"

namespace scalestudy {

// Of each parameter of the workload whose default has changed what it was in the first version.
Parameters first_defaults(Workload workload);

}  // namespace scalestudy

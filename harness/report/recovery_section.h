// What checkpoints and failures took, cell by cell.
#pragma once

#include "harness/report/sections.h"

namespace scalestudy::report {

// Tables `checkpoints` and `recoveries`, of cells whose trials saved or met a failure.
Section recovery_section();

}  // namespace scalestudy::report

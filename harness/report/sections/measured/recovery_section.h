// What checkpoints and failures took, cell by cell; and apart from that, how often to save by a
// declared rate of failures.
#pragma once

#include "harness/report/sections/sections.h"

namespace scalestudy::report {

// Tables `checkpoints` and `recoveries`, of cells whose trials saved or met a failure;
// `save_intervals`, the scenario of these times, with the text `failure_rate` (absent without one).
Section recovery_section();

}  // namespace scalestudy::report

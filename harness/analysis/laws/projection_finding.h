// Sentences on what a projection rests on, or why there is none.
#pragma once

#include <string>

#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "stats/projection.h"

namespace scalestudy {

// Describes the check of a projection: how far off the model and its rivals were at the held-out
// numbers of devices.
// - missing: why the communication is not known; empty if it is, or none was asked for.
std::string describe_check(const stats::ProjectionCheck& check,
                           Scaling scaling,
                           bool shares_blocks,
                           const std::string& missing);

// The declared constants of a scenario as one text.
std::string list_constants(const Scenario& scenario);

}  // namespace scalestudy

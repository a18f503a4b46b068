// What a projection rests on, or why there is none, as a sentence.
#pragma once

#include <string>

#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "stats/projection.h"

namespace scalestudy {

// What the gate says: how far off the model and its rivals were at the counts held out.
//   missing  why the communication is not known; empty where it is, or none was asked for.
std::string describe_check(const stats::ProjectionCheck& check,
                           Scaling scaling,
                           bool shares_blocks,
                           const std::string& missing);

// The declared constants of a scenario, one after the other.
std::string list_constants(const Scenario& scenario);

}  // namespace scalestudy

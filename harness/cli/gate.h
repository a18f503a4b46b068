// What the targets of a study mean for the exit code, when asked to gate.
#pragma once

#include <vector>

#include "harness/base/error.h"
#include "harness/store/rows.h"

namespace scalestudy {

// kTargetMissed when a target is missed, else kInconclusive when one is undecided, else kDone.
ExitCode gate(const std::vector<TargetResultRow>& targets);

}  // namespace scalestudy

// What the targets of a study mean for the exit code, when asked to gate.
#pragma once

#include <vector>

#include "harness/base/error.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// kTargetMissed when a target is missed, else kInconclusive when one is undecided, else kDone.
ExitCode gate(const std::vector<TargetResultRow>& targets);

// kTargetMissed when a side is slower than the other, else kInconclusive when one is not decided or
// there is none, else kDone.
ExitCode gate_verdicts(const std::vector<Verdict>& verdicts);

}  // namespace scalestudy

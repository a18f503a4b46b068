// The exit code of a verb with --gate: what targets and verdicts mean for it.
#pragma once

#include <vector>

#include "harness/base/error.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Throws Error{kUsage} if the study declares neither targets nor sides.
void require_something_to_gate(const Study& study);

// kTargetMissed if a target is missed, else kInconclusive if one is undecided, else kDone.
ExitCode gate(const std::vector<TargetResultRow>& targets);

// kTargetMissed if a verdict is "slower", else kInconclusive if one is undecided or there are no
// verdicts, else kDone.
ExitCode gate_verdicts(const std::vector<Verdict>& verdicts);

}  // namespace scalestudy

// The exit code of a verb with --gate: what targets and verdicts mean for it.
#pragma once

#include <vector>

#include "harness/base/error.h"
#include "harness/cli/terminal.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Throws Error{kUsage} if the study declares neither targets nor sides.
void require_something_to_gate(const Study& study);

// kTargetMissed if a target is missed, else kInconclusive if one is undecided, else kDone. Tells
// the targets that decide this as errors, since an answer may leave some to the report.
ExitCode gate(const std::vector<TargetResultRow>& targets, Terminal& terminal);

// kTargetMissed if a verdict is "slower", else kInconclusive if one is undecided or there are no
// verdicts, else kDone.
ExitCode gate_verdicts(const std::vector<Verdict>& verdicts);

}  // namespace scalestudy

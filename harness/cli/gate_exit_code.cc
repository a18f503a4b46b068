// Targets -> exit code.
#include "harness/cli/gate_exit_code.h"

namespace scalestudy {

void require_something_to_gate(const Study& study) {
  if (study.analysis.targets.empty() && study.sides.empty()) {
    throw Error(ErrorKind::kUsage,
                "--gate: the study declares neither targets nor sides; declare `targets`, or "
                "compare with a commit by `run --against`");
  }
}

ExitCode gate(const std::vector<TargetResultRow>& targets) {
  ExitCode code = ExitCode::kDone;
  for (const TargetResultRow& target : targets) {
    if (is_limit(target)) {
      continue;
    }
    if (target.verdict == TargetVerdict::kMissed) {
      return ExitCode::kTargetMissed;
    }
    if (target.verdict != TargetVerdict::kMet) {
      code = ExitCode::kInconclusive;
    }
  }
  return code;
}

ExitCode gate_verdicts(const std::vector<Verdict>& verdicts) {
  ExitCode code = verdicts.empty() ? ExitCode::kInconclusive : ExitCode::kDone;
  for (const Verdict verdict : verdicts) {
    if (verdict == Verdict::kSlower) {
      return ExitCode::kTargetMissed;
    }
    if (verdict != Verdict::kFaster && verdict != Verdict::kEquivalent) {
      code = ExitCode::kInconclusive;
    }
  }
  return code;
}

}  // namespace scalestudy

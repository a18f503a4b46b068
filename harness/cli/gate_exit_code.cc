// Targets -> exit code.
#include "harness/cli/gate_exit_code.h"

#include <algorithm>
#include <string>

namespace scalestudy {

void require_something_to_gate(const Study& study) {
  if (study.analysis.targets.empty() && study.sides.empty()) {
    throw Error(ErrorKind::kUsage,
                "--gate: the study declares neither targets nor sides; declare `targets`, or "
                "compare with a commit by `run --against`");
  }
}

ExitCode gate(const std::vector<TargetResultRow>& targets, Terminal& terminal) {
  using enum TargetVerdict;
  const auto has = [&](TargetVerdict verdict) {
    return std::ranges::any_of(targets, [&](const TargetResultRow& row) {
      return row.verdict == verdict && !is_limit(row);
    });
  };
  const TargetVerdict worst = has(kMissed) ? kMissed : has(kUndecided) ? kUndecided : kMet;
  std::string told;  // the target whose first row, of all its cells, has been told
  for (const TargetResultRow& row : targets) {
    if (worst != kMet && row.verdict == worst && !is_limit(row) && row.name != told) {
      terminal.error("--gate: " + row.finding);
      told = row.name;
    }
  }
  return worst == kMissed      ? ExitCode::kTargetMissed
         : worst == kUndecided ? ExitCode::kInconclusive
                               : ExitCode::kDone;
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

// Targets -> exit code.
#include "harness/cli/gate.h"

namespace scalestudy {

ExitCode gate(const std::vector<TargetResultRow>& targets) {
  ExitCode code = ExitCode::kDone;
  for (const TargetResultRow& target : targets) {
    if (target.verdict == TargetVerdict::kMissed) {
      return ExitCode::kTargetMissed;
    }
    if (target.verdict != TargetVerdict::kMet) {
      code = ExitCode::kInconclusive;
    }
  }
  return code;
}

}  // namespace scalestudy

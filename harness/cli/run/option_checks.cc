#include "harness/cli/run/option_checks.h"

#include "harness/base/error.h"

namespace scalestudy {
namespace {

void require_check_alone(const RunCommand& options) {
  if ((options.check || options.profile) &&
      (options.accept_changes || options.retry_failed || options.gate || options.max_trials ||
       !options.blocks.empty() || !options.settle.empty())) {
    throw Error(
        ErrorKind::kUsage,
        "--check and --profile run trials that count for nothing: they go with no other option "
        "of run but --set and --machine");
  }
}

// A gate that has nothing to judge is told before trials run.
void require_something_to_gate(const RunCommand& options, const Study& study) {
  if (options.gate && study.analysis.targets.empty() && study.sides.empty()) {
    throw Error(
        ErrorKind::kUsage,
        "--gate: the study declares neither targets nor sides; declare `targets`, or compare "
        "with a commit by --against");
  }
}

// The blocks that --settle adds are its own choice.
void require_settle_alone(const RunCommand& options) {
  if (!options.settle.empty() && (options.max_trials || !options.blocks.empty())) {
    throw Error(ErrorKind::kUsage,
                "--settle chooses how many trials to add: leave out --max-trials and --blocks, or "
                "limit it by a time, e.g. --settle=20min");
  }
}

}  // namespace

void require_options_fit(const RunCommand& options, const Study& study) {
  require_check_alone(options);
  require_settle_alone(options);
  require_something_to_gate(options, study);
}

}  // namespace scalestudy

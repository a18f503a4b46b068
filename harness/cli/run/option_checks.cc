#include "harness/cli/run/option_checks.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/cli/gate_exit_code.h"
#include "harness/cli/run/blocks_option.h"
#include "harness/store/store.h"
#include "harness/study/parameters/machine_profile.h"

namespace scalestudy {
namespace {

void require_check_alone(const RunCommand& options) {
  if ((options.check || options.profile) &&
      (options.accept_changes || options.retry_failed || options.gate || options.max_trials ||
       !options.blocks.empty() || !options.settle.empty())) {
    throw Error(
        ErrorKind::kUsage,
        "--check and --profile run trials that count for nothing: of the options of run they take "
        "--set, --machine, --against and --no-wait alone");
  }
}

// The blocks that --settle adds are its own choice.
void require_settle_alone(const RunCommand& options) {
  if (!options.settle.empty() && (options.max_trials || !options.blocks.empty())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: --settle chooses how many trials to add. Leave this out, or limit "
                            "--settle by a time, e.g. --settle=20min",
                            options.max_trials ? "--max-trials" : "--blocks"));
  }
}

// What is named, and is not there, is told at once, not after the wait for another run.
void require_known(const RunCommand& options, const Study& study, const std::string& results) {
  if (!options.machine.empty()) {
    (void)find_machine(options.machine);
  }
  if (!options.blocks.empty()) {
    (void)read_blocks(
        options.blocks,
        study,
        Store::exists(results) ? Store::open_read_only(results) : Store::open_in_memory());
  }
}

}  // namespace

void require_options_fit(const RunCommand& options,
                         const Study& study,
                         const std::string& results) {
  require_check_alone(options);
  require_settle_alone(options);
  if (options.gate) {  // told before trials run
    require_something_to_gate(study);
  }
  require_known(options, study, results);
}

}  // namespace scalestudy

// What a study runs beside its trials: setup before, cleanup after, outside their wall time.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/launcher.h"
#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

struct BesideResult {
  bool is_interrupted = false;
  std::optional<Outcome> failure;  // "setup: exit code 3: no space left"; absent when it ended well
  std::optional<int> exit_code;    // absent when it was not started, or a signal ended it
  int left_processes = 0;          // that it left running, and that were ended
};

// Runs `argv` as `trial` would be run, but without $SCALESTUDY_OUTPUT. Its output goes to
// NAME.stdout and NAME.stderr beside the trial's logs, which OpenLogs closes with them.
// - argv: empty: nothing is run, and that is no failure.
// - secrets: values that no reason tells.
BesideResult run_beside(const std::string& name,
                        const std::vector<std::string>& argv,
                        LaunchRequest trial,
                        const std::vector<std::string>& secrets,
                        Launcher& launcher,
                        const std::atomic<bool>& stop);

// Whether it is a note about a failed cleanup, or about what setup left running.
bool is_beside_note(const std::string& note);

// Adds a note and the fact setup_left_processes to `record` if setup left processes running. They
// were ended, so that no trial meets what an earlier one left.
void tell_left_processes(const BesideResult& setup, TrialRecord& record);

// Runs the cleanup, which has 10 s left once `stop` is set. Its failure becomes a note in `logs`.
void finish_beside(const LaunchCommand& command,
                   LaunchRequest trial,
                   const std::vector<std::string>& secrets,
                   Launcher& launcher,
                   const std::atomic<bool>& stop,
                   std::vector<LogRow>& logs);

}  // namespace scalestudy

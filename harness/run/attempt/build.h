// The study's `build`, before a session's first trial.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/process/launcher.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Runs it once in each folder that commands of the study run in; of the built-in workloads in each
// checkout alone, at its top. Output goes to logs/<study>/build-<n>.stdout and .stderr of
// `results`, the study's secrets taken out. Nothing without a `build`.
//   dropped  variables of the harness that it does not inherit.
//   throws   Error{kMachine} with the end of its stderr when it fails, Error{kInterrupted} when
//            `stop` ended it.
void run_build(const Study& study,
               const std::map<std::string, LaunchCommand>& commands,
               const std::map<std::string, Checkout>& checkouts,
               const std::vector<std::string>& dropped,
               const std::filesystem::path& results,
               Launcher& launcher,
               const std::atomic<bool>& stop);

}  // namespace scalestudy

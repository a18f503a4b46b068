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

// Runs the study's `build`, if it has one, once in each folder that its commands run in; for
// built-in workloads in each checkout alone, at its top. Output goes to
// logs/<study>/build-<n>.stdout and .stderr of `results`, with the study's secrets taken out.
// - dropped: names of the harness's variables that the build does not inherit.
// - throws: Error{kMachine} with the end of its stderr when the build fails, Error{kInterrupted}
//   when `stop` ended it.
void run_build(const Study& study,
               const std::map<std::string, LaunchCommand>& commands,
               const std::map<std::string, Checkout>& checkouts,
               const std::vector<std::string>& dropped,
               const std::filesystem::path& results,
               Launcher& launcher,
               const std::atomic<bool>& stop);

}  // namespace scalestudy

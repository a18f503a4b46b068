// How to run one trial by hand, as the harness ran it.
#pragma once

#include <string>

#include "harness/run/process/launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The name of the script beside an attempt's logs.
inline constexpr const char* kScriptName = "run.sh";

// A script of sh that runs the attempt again from where the harness was started. Its output goes to
// the terminal and its samples into a new file: store and logs stay as they are. It holds no values
// of secrets; whoever runs it must set those that the study gives.
// - setup: run before the attempt; empty: nothing. A cleanup is not run: what the trial leaves is
//   there to be looked at.
std::string trial_script(const LaunchRequest& request,
                         const std::vector<std::string>& setup,
                         const Study& study);

// Writes trial_script() beside the attempt's logs. If it cannot be written whole, there is none: a
// full disk is no reason not to run a trial.
void write_trial_script(const LaunchRequest& request,
                        const std::vector<std::string>& setup,
                        const Study& study,
                        const TrialFiles& files);

}  // namespace scalestudy

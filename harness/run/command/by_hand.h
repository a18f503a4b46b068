// How to run one trial by hand, as the harness ran it.
#pragma once

#include <string>

#include "harness/run/process/launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The name of the script beside an attempt's logs.
inline constexpr const char* kScriptName = "run.sh";

// A script of sh that runs the attempt again from where the harness was started, its output to the
// terminal and its samples into a new file: nothing of the store or the logs is touched. Values of
// secrets do not stand in it; those that the study gives must be set by who runs it.
//   setup  run before the attempt; empty: nothing. A cleanup is not run: what the trial leaves is
//          there to be looked at.
std::string trial_script(const LaunchRequest& request,
                         const std::vector<std::string>& setup,
                         const Study& study);

// Writes it beside the attempt's logs. A disk without space for it is no reason not to run a trial.
void write_trial_script(const LaunchRequest& request,
                        const std::vector<std::string>& setup,
                        const Study& study,
                        const TrialFiles& files);

}  // namespace scalestudy

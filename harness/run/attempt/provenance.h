// What a session tells of the programs that it runs: facts of the table environment.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/process/launcher.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// In front of the names of facts: a hash of that program or script, of what `versions` tells, of an
// inherited variable.
inline constexpr const char* kFileFact = "file.";
inline constexpr const char* kVersionFact = "version.";

// Of a side of the study: the commit its files are of, with "-dirty" where they differ from it.
inline constexpr const char* kSideFact = "side.";

// A kSideFact of each side of a study that has commits.
std::vector<EnvironmentRow> side_facts(const Study& study,
                                       const std::map<std::string, Checkout>& checkouts);

// Hashes of the programs that the commands start and of scripts among their arguments
// ("file./usr/bin/python3", "file.train.py"; of a side's commit "file.before:train.py"), and the
// state of git around the first script, else around the folder they run in ("program_git").
std::vector<EnvironmentRow> program_facts(const std::map<std::string, LaunchCommand>& commands);

// The first line that each of the study's `versions` prints ("version.torch"; of a side, each of
// which is asked, "version.before:torch"), or how it failed.
//   commands  of the study's cells: probes of sides run where these do, others where the harness
//             does.
//   results   their output goes into its logs.
//   throws    Error{kInterrupted} when `stop` ended one.
std::vector<EnvironmentRow> version_facts(const Study& study,
                                          const std::map<std::string, LaunchCommand>& commands,
                                          const std::vector<std::string>& dropped,
                                          const std::filesystem::path& results,
                                          Launcher& launcher,
                                          const std::atomic<bool>& stop);

// Variables of this process's environment ("NAME=value") that trials inherit and that are told
// (is_told_variable), the user's home folder as ~. None of `dropped`.
std::vector<EnvironmentRow> variable_facts(std::span<const std::string> inherited,
                                           const std::vector<std::string>& dropped);

// "train.py: edited since session 3": programs and scripts that both sides have, and not alike.
std::vector<std::string> edited_programs(const std::vector<EnvironmentRow>& before,
                                         const std::vector<EnvironmentRow>& now);

// "sh -c 'sleep 1' in ~/data": as a shell would take it, the user's home folder as ~.
std::string command_text(const LaunchCommand& command);

}  // namespace scalestudy

// What a session records about the programs that it runs: facts of the table environment.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/process/launcher.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// How names of facts begin.
inline constexpr const char* kProgramGit = "program_git";
inline constexpr const char* kFileFact = "file.";        // hash of a program or script
inline constexpr const char* kEditedFact = "edited.";    // telemetry: edited while its session ran
inline constexpr const char* kVersionFact = "version.";  // answer to the study's `versions`
inline constexpr const char* kSideFact = "side.";  // commit of a side, "-dirty" if its files differ

// The kSideFact of each side; empty for a study without commits.
std::vector<EnvironmentRow> side_facts(const Study& study,
                                       const std::map<std::string, Checkout>& checkouts);

// Hashes of what named_programs() finds in the commands ("file./usr/bin/python3", "file.train.py";
// for a side's commit "file.before:train.py"), and the git state of the first script's folder, else
// of the folder that commands run in ("program_git").
std::vector<EnvironmentRow> program_facts(const std::map<std::string, LaunchCommand>& commands);

// The programs and scripts of program_facts(), as they were when the watch began.
class ProgramWatch {
 public:
  explicit ProgramWatch(const std::map<std::string, LaunchCommand>& commands);

  // The files of the command whose content has changed since, as its arguments name them. Reads a
  // file again only if its size or its time has changed.
  std::vector<std::string> edited(const LaunchCommand& command);

 private:
  struct File {
    std::string first;  // its hash when the watch began
    std::string last;   // when it was read last
    std::pair<std::uintmax_t, std::filesystem::file_time_type> stamp;  // size and time of then
  };
  std::map<std::filesystem::path, File> files_;
};

// Runs each program of the study's `versions` and gives the first line that it prints, or how it
// failed, as "version.torch". With sides each side is asked: "version.before:torch".
// - commands: of the study's cells. Programs of sides run where these do, others where the harness
//   does.
// - results: the folder whose logs take the output.
// - throws: Error{kInterrupted} when `stop` ended a program.
std::vector<EnvironmentRow> version_facts(const Study& study,
                                          const std::map<std::string, LaunchCommand>& commands,
                                          const std::vector<std::string>& dropped,
                                          const std::filesystem::path& results,
                                          Launcher& launcher,
                                          const std::atomic<bool>& stop);

// The variables that trials inherit and that are recorded (is_told_variable), with the user's home
// folder written as ~.
// - inherited: this process's environment, "NAME=value".
// - dropped: names of variables that trials do not inherit.
std::vector<EnvironmentRow> variable_facts(std::span<const std::string> inherited,
                                           const std::vector<std::string>& dropped);

// A sentence for each program or script that differs from the last session's ("train.py is not the
// file that the last session ran"), and for each side at another commit.
// - with_commit: also for another commit of the repository that the programs are in.
std::vector<std::string> edited_programs(const std::vector<EnvironmentRow>& before,
                                         const std::vector<EnvironmentRow>& now,
                                         bool with_commit = false);

// The command and its folder in words of a shell, "sh -c 'sleep 1' in ~/data", with the user's home
// folder written as ~.
std::string command_text(const LaunchCommand& command);

}  // namespace scalestudy

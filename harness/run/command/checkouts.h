// The files of the commits that sides of a study name, as git worktrees in the results folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/run/command/command.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The top folder of the git repository that the study's program is run from: found by the cwd of a
// `command`, by the path of the program for built-in workloads. Throws Error{kUsage} if there is
// none.
std::filesystem::path study_repository(const Study& study);

// A warning that sides with commits may run one and the same program, since the command names no
// file of the repository of its cwd that a checkout would replace; "" if it names one, without
// sides of commits, and for built-in workloads.
std::string unmoved_program(const Study& study);

// Makes the worktrees that are missing below `results`/checkouts.
// - returns: a checkout for each side that has a commit, by the side's name; empty without such.
// - throws: Error{kUsage} when a commit is not known, or the study names a file of the repository
//   by its whole path, which every side would share; Error{kMachine} with git's words when git
//   fails.
std::map<std::string, Checkout> make_checkouts(const Study& study,
                                               const std::filesystem::path& results);

}  // namespace scalestudy

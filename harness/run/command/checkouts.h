// The files of the commits that sides of a study name, as git worktrees in the results folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The top of the git repository that the study's program is run from: of `command` by its cwd, of
// the built-in workloads by where their program lies. Throws Error{kUsage} where there is none.
std::filesystem::path study_repository(const Study& study);

// That sides with commits may run one and the same program: the command names no file of the
// repository, by its cwd, so that a checkout moves nothing of it. "" where it does, and for others.
std::string unmoved_program(const Study& study);

// Makes what is missing below `results`/checkouts, by the sides that have a commit; empty without
// such sides. Throws Error{kUsage} when a commit is not known, or the study names a file of the
// repository by its whole path, which every side would take as it is; Error{kMachine} with git's
// words when git fails.
std::map<std::string, Checkout> make_checkouts(const Study& study,
                                               const std::filesystem::path& results);

}  // namespace scalestudy

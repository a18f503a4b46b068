// Finds the store and the study that a user means.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Opens the store of a results folder for writing. Throws Error{kStore} if the folder has no store:
// nothing was run there, so none is made.
Store open_existing(const std::string& results);

// Warns of the studies in the store whose names are not allowed, which every verb leaves out, and
// names the command that removes them.
void warn_of_misnamed(const Store& store, const std::string& results, Terminal& terminal);

// The study to measure: `wanted` is a study file ("-" is standard input) or, if there is no such
// file, the name of a study in the store, as it was run last. `overrides` are those of --set.
// Throws Error{kUsage} if there is neither.
Study declared_study(const std::string& wanted,
                     const std::vector<std::string>& overrides,
                     const std::string& results);

// Gives `study`, which declared_study() read, what its export left out; see take_secrets(). Without
// the values a stored study without a trial left stays as it is. Throws Error{kUsage} otherwise.
void take_left_out(Study& study, const std::string& wanted, const std::string& results);

// The row of the stored study that `wanted` names, by its name or by the file that declares it.
// Throws Error{kUsage}, which lists the studies of the results folder, if there is none.
StudyRow stored_study(const Store& store, const std::string& wanted, const std::string& results);

// The differences between the study file `wanted` and the stored study `row` of its name, a line
// each; empty if there are none, and if `wanted` is no file.
std::vector<std::string> file_differences(const StudyRow& row, const std::string& wanted);

}  // namespace scalestudy

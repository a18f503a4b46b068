// Finds the store and the study that a user means.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The store of a results folder, for writing. A folder without a store is an error, not an occasion
// to make one: nothing was run there.
Store open_existing(const std::string& results);

// Says which studies of it no verb takes, and how to be rid of them.
void warn_of_misnamed(const std::string& results, Terminal& terminal);

// The study that `wanted` names to measure it: a study file (- is standard input), or else the
// study of that name in the store, as it was run last. Throws Error{kUsage} when there is neither.
Study declared_study(const std::string& wanted,
                     const std::vector<std::string>& overrides,
                     const std::string& results);

// The stored study that `wanted` names; a study file stands for the study it declares. Throws
// Error{kUsage} with the studies of the results folder when there is none.
StudyRow stored_study(const Store& store, const std::string& wanted, const std::string& results);

// What differs between the study file `wanted` and the stored study `row` of its name, one line
// each; empty when they are the same, and when `wanted` is no file.
std::vector<std::string> file_differences(const StudyRow& row, const std::string& wanted);

}  // namespace scalestudy

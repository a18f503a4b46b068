// Finds the study that a user means.
#pragma once

#include <string>

#include "harness/store/store.h"

namespace scalestudy {

// The store of a results folder, for writing. A folder without a store is an error, not an occasion
// to make one: nothing was run there.
Store open_existing(const std::string& results);

// The stored study that `wanted` names; a study file stands for the study it declares. Throws
// Error{kUsage} with the studies of the results folder when there is none.
StudyRow stored_study(const Store& store, const std::string& wanted, const std::string& results);

}  // namespace scalestudy

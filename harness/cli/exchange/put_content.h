// Puts what was read from elsewhere into a store.
#pragma once

#include <cstdint>
#include <string>

#include "harness/cli/terminal.h"
#include "harness/store/store.h"

namespace scalestudy {

// Replaces everything in the store by `content`, and computes the results of its studies anew.
// Throws Error before anything is replaced if the text of a study cannot be read.
void put_content(Store& store, const StoreContent& content);

// Warns of trials that `prune` had removed and that a merge brought back.
// - source: the folder that had them.
void warn_of_restored(std::int64_t count, const std::string& source, Terminal& terminal);

}  // namespace scalestudy

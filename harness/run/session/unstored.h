// A finished trial's record on disk, for as long as the store does not have it.
#pragma once

#include "harness/store/store.h"

namespace scalestudy {

// Calls Store::finish_trial(), and returns what it does. Until that is done, however long another
// program writes the database, the record is in `unstored.json` of the results folder, where it
// survives this process. It does not survive a loss of power; the trial runs again then.
std::optional<std::int64_t> store_finished(Store& store, const TrialRecord& record, bool retry);

// Whether `unstored.json` is there.
bool has_unstored(const Store& store);

// Stores the record that an earlier run left in `unstored.json`, and returns whether it did. For
// the holder of the folder's lock, before anything is planned. A record that is stored already or
// belongs to another store is dropped; so is one that is not valid, and its trial runs again.
bool store_unstored(Store& store);

}  // namespace scalestudy

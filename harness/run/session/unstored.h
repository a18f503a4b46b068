// A finished trial's record on disk, for as long as the store does not have it.
#pragma once

#include "harness/store/store.h"

namespace scalestudy {

// Store::finish_trial(). However long another program writes the database meanwhile, the record is
// also in `unstored.json` of the results folder, where it survives this process (not a loss of
// power; then the trial runs again).
void store_finished(Store& store, const TrialRecord& record, bool retry);

// Stores what an earlier run left there, for the holder of the folder's lock, before anything is
// planned. Nothing is stored twice, nor into another store, nor what is no valid record: such a
// trial runs again. Returns whether a trial was stored.
bool store_unstored(Store& store);

}  // namespace scalestudy

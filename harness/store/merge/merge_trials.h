// Merging of trials that two stores both have, and of what only one store says about them.
#pragma once

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Rank of an attempt's state: of two states of one attempt the one with the higher rank stays.
int progress_of(TrialState state);

bool has_run(const TrialContent& trial);

// Whether both are the same attempt with the same ending. Later annotations and readings of its
// logs do not matter, nor do series of single ranks that `prune` removed from one of them.
bool same_trial(const TrialContent& a, const TrialContent& b);

bool same_session(const SessionContent& a, const SessionContent& b);

// Takes the series of single ranks that `prune` removed from `into`. Returns whether it lacked any.
bool add_ranks(TrialContent& into, const TrialContent& from);

// Adds annotations to a trial that has run; the latest one holds. Returns whether it lacked any.
bool add_annotations(TrialContent& into, const TrialContent& from);

// Adds annotations and readings of the logs by later rules. Returns whether
// `into` lacked any. The order in which stores are merged does not matter.
bool add_said_later(TrialContent& into, const TrialContent& from);

}  // namespace scalestudy

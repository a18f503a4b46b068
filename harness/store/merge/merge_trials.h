// Merging of trials that two stores both have, and of what only one store says about them.
#pragma once

#include <set>
#include <vector>

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Rank of an attempt's state: of two states of one attempt the one with the higher rank stays.
int progress_of(TrialState state);

bool has_run(const TrialContent& trial);
bool is_unrun(const TrialContent& trial);  // nor was it run and removed by `prune`

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

// The attempts that is_unrun() is true of.
std::set<AttemptName> unrun_attempts(const std::vector<TrialContent>& trials);

// Makes the plans of one study one plan: a cell's trial of a block that one plan has run is not to
// be run by another one, and what none has run stays in one of them. The order in which stores are
// merged does not matter. Of searches, each a race of its own, only that of searched_plan() has
// trials left to run.
void unite_plans(std::vector<TrialContent>& trials);

}  // namespace scalestudy

// When two stores have one trial, and what was said of it in only one of them.
#pragma once

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Of two states of one attempt the higher stays.
int progress_of(TrialState state);

bool has_run(const TrialContent& trial);

// Whether both are one attempt as it ended, whatever was said of it or read of its logs later.
bool same_trial(const TrialContent& a, const TrialContent& b);

bool same_session(const SessionContent& a, const SessionContent& b);

// Adds annotations, of which the last word holds, and readings of the logs by later rules. Returns
// whether `into` lacked some. In which order stores are merged does not matter.
bool add_said_later(TrialContent& into, const TrialContent& from);

}  // namespace scalestudy

// What to look at first when a run has ended, and where.
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// A trial that ran and gave no usable result.
bool is_unusable(TrialState state);

// The file that says most about an attempt: stderr, or stdout where that is empty; "" without one.
std::string log_file(const Store& store, std::int64_t trial_id);

// Where an attempt's log is and the command line that runs it by hand; empty without a log.
std::vector<std::string> trial_hints(const Store& store, std::int64_t trial_id);

// What went wrong most often, as far as it did: trials of the plan that did not end ok by state and
// reason, one of each with its hints; then the warnings of the analysis.
std::vector<std::string> closing_lines(const Store& store,
                                       std::int64_t study_id,
                                       const std::vector<ThreatRow>& threats);

}  // namespace scalestudy

// Where a user finds out why a trial gave no result.
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

}  // namespace scalestudy

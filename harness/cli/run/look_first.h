// What to look at first when a run has ended, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// The last lines of `run`: the three most frequent ways in which trials of the plan failed, each
// with trial_hints() of one such trial; then how many of `threats` are warnings, and the first one.
// Empty if nothing failed and there is no warning.
std::vector<std::string> look_first_lines(const Store& store,
                                          std::int64_t study_id,
                                          const std::vector<ThreatRow>& threats);

}  // namespace scalestudy

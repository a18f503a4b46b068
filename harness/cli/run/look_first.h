// What to look at first when a run has ended, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// What went wrong most often, as far as it did: trials of the plan that did not end ok by state and
// reason, one of each with its hints; then the warnings of the analysis.
std::vector<std::string> look_first_lines(const Store& store,
                                          std::int64_t study_id,
                                          const std::vector<ThreatRow>& threats);

}  // namespace scalestudy

// What was run, told from what was read of it.
#pragma once

#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Each run of a trial once, in order: where its logs were read again (`extract`), by the last
// reading. For sums over what runs took; attempts of one trial are runs of their own.
std::vector<TrialRow> each_run_once(std::vector<TrialRow> trials);

}  // namespace scalestudy

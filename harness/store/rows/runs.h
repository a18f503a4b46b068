// Runs of trials, without repeated readings of their logs.
#pragma once

#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Keeps each run of a trial once, in order, for sums over the time or cost of runs. If its logs
// were read again (`extract`), the last reading is kept. Attempts of one trial are runs of their
// own.
std::vector<TrialRow> each_run_once(std::vector<TrialRow> trials);

}  // namespace scalestudy

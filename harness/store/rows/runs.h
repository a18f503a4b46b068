// Runs of trials, without repeated readings of their logs, and their times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// The mean step time of an ok trial and the session that ran it, for the precision of a cell.
struct TrialMean {
  std::optional<std::int64_t> session;
  double step_time_s = 0.0;
};

// Keeps each run of a trial once, in order, for sums over runs and counts of failures. If its logs
// were read again (`extract`), the last reading is kept. Attempts of one trial are runs of their
// own.
std::vector<TrialRow> each_run_once(std::vector<TrialRow> trials);

}  // namespace scalestudy

// Attempts that are kept apart for what disturbed them.
#pragma once

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Whether the attempt does not count though it ended well: more disturbed it than its study allows.
inline bool is_put_aside(const TrialRow& trial) {
  return trial.state == TrialState::kInvalid && trial.disturbance != Disturbance::kNone;
}

}  // namespace scalestudy

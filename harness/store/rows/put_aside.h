// Attempts that are put aside because something disturbed them.
#pragma once

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Whether the attempt ended well but does not count, because it was disturbed by more than its
// study allows.
inline bool is_put_aside(const TrialRow& trial) {
  return trial.state == TrialState::kInvalid && trial.disturbance != Disturbance::kNone;
}

}  // namespace scalestudy

// Attempts that are put aside because something disturbed them.
#pragma once

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Whether the attempt ended well but does not count, because it was disturbed by more than its
// study allows. The reason then begins with the disturbance (find_disturbance()): one that was only
// marked keeps its mark where `extract` finds it invalid for what it printed.
inline bool is_put_aside(const TrialRow& trial) {
  return trial.state == TrialState::kInvalid && trial.disturbance != Disturbance::kNone &&
         trial.reason.starts_with(to_word(trial.disturbance) + ": ");
}

}  // namespace scalestudy

// Whether heat or other processes disturbed a trial by more than its study allows. Pure, and blind
// to what the trial measured: whoever drops slow trials for being slow makes his program faster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/machine/load.h"
#include "harness/store/rows/trial_words.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

struct Disturbed {
  Disturbance by = Disturbance::kNone;  // of several the first of the words
  // "throttled: heat or the power supply slowed gpu0 for 50 % of the time (validity.throttled:
  // 0 %)"; "" for none.
  std::string why;
};

// What the machine tells of the time of a trial, or of a moment before it.
//   load       foreign absent: too short to tell, not judged.
//   readings   MachineWatch's; GPUs count only with `uses_gpus`. A core that tells that it was
//              throttled, but not for how long, is beyond any limit below 100 %.
//   cores      >= 1, of which foreign load is a share.
Disturbed find_disturbance(const Validity& limits,
                           const Load& load,
                           const std::vector<Reading>& readings,
                           std::int64_t cores,
                           bool uses_gpus);

}  // namespace scalestudy

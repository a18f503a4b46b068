// Whether heat or other processes disturbed a trial by more than its study allows. Pure, and blind
// to what the trial measured: to drop slow trials for being slow would make the program look
// faster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/machine/load.h"
#include "harness/store/rows/trial_words.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// What disturbed a trial.
struct Disturbed {
  Disturbance by = Disturbance::kNone;  // the first in the order of its words, if there are several
  // "throttled: heat or the power supply slowed gpu0 for 50 % of the time (validity.throttled:
  // 0 %)"; "" when nothing disturbed it. Begins with the word of `by`: is_put_aside() reads it.
  std::string why;
};

// Compares what the machine tells of a trial's time, or of a moment before it, with the limits.
// - load: not judged when `foreign` is absent, since the time was too short to tell.
// - readings: MachineWatch's; those of GPUs count only with `uses_gpus`. A core that tells that it
//   was throttled, but not for how long, is beyond any limit below 100 %.
// - cores: Machine::cores(), which foreign load is a share of; >= 1.
Disturbed find_disturbance(const Validity& limits,
                           const Load& load,
                           const std::vector<Reading>& readings,
                           std::int64_t cores,
                           bool uses_gpus);

}  // namespace scalestudy

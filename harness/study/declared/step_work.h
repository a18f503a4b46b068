// How much work a step does, as far as a study says.
#pragma once

#include "harness/study/declared/study.h"

namespace scalestudy {

// Whether the times of steps on different numbers of devices can be compared: false for a command
// if nothing says whether a step on two devices does the work of a step on one, or twice as much.
//
// A batch says it, and the size of a message; a rule's per_step does not, as it may be that of one
// device. If the whole command is timed, its work is what is compared.
bool states_work(const Study& study);

// Whether the study's answer depends on such times: that of a search by another metric does not.
bool goes_by_speed(const Study& study);

// What a study that compares such times has to add.
inline constexpr const char* kUnstatedWork =
    "Nothing says how much work a step of several devices does, so they get no speedup. Add "
    "parameters: {batch_per_device: N} if each device does N samples a step (most DDP scripts), or "
    "{batch_global: N} if all devices share N samples";

}  // namespace scalestudy

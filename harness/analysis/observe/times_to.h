// How long each trial trained until it reached a declared accuracy or loss.
#pragma once

#include <cstdint>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// Fills the times_to of the trials. A time is the sum of all step times until the end of the first
// step, or of the first epoch, whose value reaches the goal, warm-up steps included: they train as
// well. A step time counts as often as the steps that it covers: an epoch takes its printed time,
// not that of one step. Evaluations, saves and the start of the program are not in it. A trial has
// none if its values are neither those of its steps nor those of its epochs. Call it once the
// trials have their step times and covered_steps.
void find_times_to(const Store& store,
                   std::int64_t study_id,
                   const Study& study,
                   StudyObservation& observation);

}  // namespace scalestudy

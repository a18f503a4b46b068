// What observe() reads of the machine: trials that it disturbed, and how steady it was.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/analysis/observation.h"
#include "harness/store/store.h"
#include "harness/study/study.h"

namespace scalestudy {

// Whether another command than the study's now ran the attempt, or its output was read otherwise.
bool is_of_earlier_command(const TrialRow& trial, const StudyObservation& observation);

// Fills CellObservation::as_met, once trials that are excluded by hand are known.
//   times  of a step, by trial.
void place_as_met(const std::vector<TrialRow>& trials,
                  const std::map<std::int64_t, StepTime>& times,
                  StudyObservation& observation);

// Fills StudyObservation::calibrations.
//   trials  in the order they ran.
void read_calibrations(const Store& store,
                       const Study& study,
                       const std::vector<TrialRow>& trials,
                       StudyObservation& observation);

}  // namespace scalestudy

// Gives each cell its trials, and counts the attempts that did not end well.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Fills trials, planned, waiting, failures, retried, chosen and excluded of each cell.
// - observation: with its cells, trial_changes and read_again.
// - trials: all attempts of the study.
void place_trials(const std::vector<AnnotationRow>& annotations,
                  const std::vector<TrialRow>& trials,
                  StudyObservation& observation);

}  // namespace scalestudy

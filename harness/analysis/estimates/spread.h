// Where the spread of a cell's step time comes from, and what that says about trials and steps.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Rows of the measured cells' step_time_s, variant all:
//   between_trials_share  of the variance of a trial's mean, the part that more steps cannot make
//                         smaller: variance_components over batches of kBatchSteps steps, which
//                         take most of the correlation between neighbours out
//   optimal_steps         measured steps a trial that give the narrowest interval for the time
//                         spent, launch and warm-up included: kalibera_optimal over the same
//   median                of the trial means with the achieved confidence of its order statistics;
//                         only in cells with rare slow trials, where the mean's interval may be
//                         too narrow
// A row is left out where a cell has no trial with two batches, or no time of a launch.
//   source  METHODS.md, One cell and Sessions.
std::vector<EstimateRow> spread_of_cells(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

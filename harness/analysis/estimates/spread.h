// Where the spread of a cell's step time comes from, and how many trials and steps that calls for.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes rows of the measured cells' step_time_s, variant all. A row is left out if a cell has no
// trial with two batches, or no time of a launch.
// - between_trials_share: the share of the variance of a trial's mean that more steps cannot
//   reduce, by variance_components over batches of kBatchSteps steps, which remove most of the
//   correlation between neighbouring steps.
// - optimal_steps: measured steps a trial that give the narrowest interval for the time spent,
//   launch and warm-up included, by kalibera_optimal over the same batches.
// - median: of the trial means, with the achieved confidence of its order statistics; only in cells
//   with rare slow trials, where the mean's interval may be too narrow.
// - source: METHODS.md, One cell and Sessions.
std::vector<EstimateRow> spread_of_cells(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

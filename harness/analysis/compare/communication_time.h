// The time that communication adds to a step.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// `communication_overhead_s`, T_comm: the mean step time minus that of the same ranks without
// communication (control noop), over the trials that the comparison of their ratio used. One row
// for each cell that has that comparison; below 0 if the control was slower. The method is paired_t
// over blocks or sessions if the ratio was taken so, else welch_t. If it gives no interval, the
// status says why. In a run for verdicts the interval allows for the looks, like the ratio's.
std::vector<EstimateRow> communication_times(const std::vector<ComparisonRow>& comparisons,
                                             const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy

// What communication takes of a step, as a time.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// `communication_overhead_s`, T_comm: the mean time of a step less that of the same ranks without
// communication (control noop), of the trials that the comparison of their ratio used. One row for
// each cell that has one; below 0 where the control was slower.
//   paired_t   over blocks or sessions, where the ratio was taken so; else welch_t
// No interval where either refuses one: its status says why. In a run for verdicts it allows for
// the looks, as the ratio's does.
std::vector<EstimateRow> communication_times(const std::vector<ComparisonRow>& comparisons,
                                             const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy

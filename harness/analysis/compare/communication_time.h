// The time that communication adds to a step, and how much of it a setting removes.
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

// `overhead_reduction`: the share of its baseline's exposed communication that a cell removes, 1 -
// exposed time of the cell / that of the baseline, by stats/reduction.h over the blocks (from
// kSessionsAsUnit sessions on: sessions) that have both. Exposed is the step less that of the
// control noop if both cells have one, else the time that their program waited
// (exposed_communication_time_s), whose interval ends at 1. One row for each measured cell of
// several devices whose baseline has as many, and the same batch; none if that time was not
// measured, or is a metric that the study asks for. The status is unresolved if the baseline's
// exposed communication is not certain to be above 0: there is none to remove.
std::vector<EstimateRow> overhead_reductions(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy

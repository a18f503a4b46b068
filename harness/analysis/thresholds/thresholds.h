// Break-evens: where speedup or efficiency crosses a level along an axis.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// One row per declared threshold and curve (the cells that agree in the other varied parameters).
//   tested_values  cells with a usable ratio to their baseline, oversubscribed ones left
//             out. A curve of baselines only (one device, where speedup is against one device) has
//             no row; a threshold without any curve has one without a group.
//   interval  of threshold_piecewise with its allowance for curvature, and the estimate in it.
//             With fewer than five of them, with two neighbours more than a factor of 2 apart, at
//             a crossing in the first or last step, and along devices and nodes, which are
//             counts, nothing is interpolated: status, bracket and sentence only; of counts from
//             one on.
std::vector<ThresholdRow> find_thresholds(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

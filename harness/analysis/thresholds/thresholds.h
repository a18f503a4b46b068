// Break-evens: where speedup or efficiency crosses a level along an axis.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes one row for each declared threshold and curve (the cells that agree in the other varied
// parameters). A curve of baselines only (one device, if speedup is against one device) has no row;
// a threshold without any curve has one without a group.
// - tested_values: cells with a usable ratio to their baseline, without oversubscribed ones.
// - lo, hi: interval of threshold_piecewise with its allowance for curvature, around the estimate.
//
// Nothing is interpolated with fewer than five tested values, with two neighbours more than a
// factor of 2 apart, at a crossing in the first or last step, or along devices and nodes, which are
// counts: the row then has a status, bracket and sentence only. Along counts one tested value is
// enough.
//
// - results: the estimates of the observation, by which thresholds that are not relative are
//   judged.
std::vector<ThresholdRow> find_thresholds(const StudyObservation& observation,
                                          const Study& study,
                                          const Results& results = {});

}  // namespace scalestudy

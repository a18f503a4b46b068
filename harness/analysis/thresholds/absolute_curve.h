// Curves of a metric's own values, for a threshold with an absolute level.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/analysis/thresholds/tested_curve.h"

namespace scalestudy {

// A TestedCurve for each curve along request.along with a measured value. A tested value is the
// cell's mean, or its logarithm where all means and the level are positive; its level is that of
// its decision, which is the one of targets and limits at the same level (target_questions.h).
// - request: one that is not relative.
// - results: with the estimates of the observation.
std::vector<TestedCurve> absolute_curves(const StudyObservation& observation,
                                         const ThresholdRequest& request,
                                         const Study& study,
                                         const Results& results);

}  // namespace scalestudy

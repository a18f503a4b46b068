// The tested values of a curve whose crossing of a level is asked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/observe/observation.h"
#include "harness/analysis/thresholds/threshold_finding.h"
#include "stats/threshold.h"

namespace scalestudy {

struct TestedCurve {
  std::string label;  // as Curve
  std::vector<stats::TestedValue> values;
  std::vector<CurvePoint> points;             // of each value
  std::vector<const CellObservation*> bases;  // of each value
  std::vector<double> tried;  // x of all cells with the metric, those without a usable value too
  ThresholdFacts facts;
  std::set<std::int64_t> trials;
  double level = 0.0;    // highest of the values' intervals: in a run for verdicts that of a look
  bool is_empty = true;  // no cell of the curve has the metric at all
};

// One of each curve along request.along that has the metric; a curve of baselines only has not.
std::vector<TestedCurve> tested_curves(const StudyObservation& observation,
                                       const ThresholdRequest& request,
                                       const Study& study);

// At the study's confidence, or the curve's level where that is higher.
stats::Threshold threshold_of(const TestedCurve& curve,
                              const ThresholdRequest& request,
                              const Study& study);

}  // namespace scalestudy

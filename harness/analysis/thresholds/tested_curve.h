// The tested values of a curve whose crossing of a level is wanted.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/observe/observation.h"
#include "harness/analysis/thresholds/threshold_finding.h"
#include "stats/multiplicity.h"
#include "stats/threshold.h"

namespace scalestudy {

struct TestedCurve {
  std::string label;  // as in Curve
  CellIds cells;      // that have the metric, by increasing x
  std::vector<stats::TestedValue> values;
  std::vector<CurvePoint> points;             // parallel to values
  std::vector<const CellObservation*> bases;  // parallel to values
  std::vector<double>
      tried;  // of a ratio: x of all cells that have it, also without a usable value
  ThresholdFacts facts;
  std::set<std::int64_t> trials;
  stats::Resolution resolution;  // of the question on which side of the level the metric is
  bool is_empty = true;          // no cell of the curve has the metric at all
  bool is_log = true;            // values are logarithms, and so is the level that they cross
};

// Whether the axis counts devices or nodes, between whose values there is nothing to interpolate.
bool is_count_axis(const std::string& axis);

// A TestedCurve for each curve along request.along that has the metric; a curve of baselines alone
// does not. Each value has the level of its decision (questions.h), so that its sign is that of the
// verdict and the target at the same level.
std::vector<TestedCurve> tested_curves(const StudyObservation& observation,
                                       const ThresholdRequest& request,
                                       const Study& study);

// The threshold of a curve, at the levels of its values.
stats::Threshold threshold_of(const TestedCurve& curve,
                              const ThresholdRequest& request,
                              const Study& study);

}  // namespace scalestudy

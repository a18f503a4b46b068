// The search for a break-even: which tested values a study with `refine` adds, and why it ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/thresholds/tested_curve.h"
#include "stats/refinement.h"

namespace scalestudy {

struct CurveRefinement {
  stats::RefineStep step;
  RefineRequest asked;
  std::vector<Addition> added;   // so far, those of its cells; not those of their bases
  std::vector<Addition> next;    // the cell and its base, where step.next is
  std::string refused;           // why that value cannot be measured; step.next is not run then
  std::size_t trials = 0;        // fewest of a value inside the bracket
  std::optional<double> pair_s;  // a trial of cell and base there takes; absent: nobody knows
};

// Where the search along one curve stands. Rests on the stored trials alone, so that a resumed run
// decides alike.
//   request  with refine.
CurveRefinement refine_curve(const TestedCurve& curve,
                             const ThresholdRequest& request,
                             const StudyObservation& observation,
                             const Study& study);

// What all searches of the study test next, one value of each curve, in blocks of their own behind
// all that are planned; empty: nothing.
std::vector<Addition> next_values(const StudyObservation& observation, const Study& study);

// "88 was tested because the bracket was [64, 128]; the interval is within ±1.9 %
// (±2.5 % asked for)".
std::string describe_refinement(const CurveRefinement& refined);

}  // namespace scalestudy

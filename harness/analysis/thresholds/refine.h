// Refinement of a break-even: which tested values a study with `refine` adds, and why it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/thresholds/tested_curve.h"
#include "stats/refinement.h"

namespace scalestudy {

struct CurveRefinement {
  stats::RefineStep step;
  RefineRequest asked;
  std::vector<Addition> added;   // additions of its cells so far, without those of their bases
  std::vector<Addition> next;    // the cell and its base to add, if step.next is set
  std::string refused;           // why step.next cannot be measured; it is not run then
  std::size_t trials = 0;        // fewest trials of any value inside the bracket
  std::optional<double> pair_s;  // time of a trial of cell and base there, s; absent if not known
};

// The state of the refinement along one curve. It follows from the stored trials alone, so that a
// resumed run decides alike.
// - request: one with `refine`.
CurveRefinement refine_curve(const TestedCurve& curve,
                             const ThresholdRequest& request,
                             const StudyObservation& observation,
                             const Study& study);

// The first block after all planned ones.
std::int64_t next_block(const StudyObservation& observation, const Study& study);

// The values that all refinements of the study test next, one of each curve, in blocks of their own
// after all planned ones. Empty if nothing is left to test.
std::vector<Addition> next_values(const StudyObservation& observation, const Study& study);

// The refinement as a sentence: "88 was tested because the bracket was [64, 128]; the interval is
// within ±1.9 % (±2.5 % asked for)".
std::string describe_refinement(const CurveRefinement& refined);

}  // namespace scalestudy

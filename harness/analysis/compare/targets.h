// Declared expectations against what was measured.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// One row per target and matching cell, and before those of a target over several cells one without
// a cell for the target itself.
//   cell    met when the whole interval is on the good side of the level, missed when it is wholly
//           on the bad side, undecided otherwise; over several cells only with all of them allowed
//           for (Holm), unless every one is met.
//   target  over several cells: met when every cell is by its interval, which needs no adjustment;
//           missed when some cell is, with all allowed for; undecided otherwise.
// A target that matches no cell gets one row without a cell. Controls never match, nor does a
// baseline its own speedup.
//   results  with the estimates and comparisons of the observation.
std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results);

}  // namespace scalestudy

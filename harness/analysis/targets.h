// Declared expectations against what was measured.
#pragma once

#include <vector>

#include "harness/analysis/observation.h"

namespace scalestudy {

// One row per target and matching cell: met when the whole interval is on the good side of the
// level, missed when it is wholly on the bad side, undecided otherwise. A target that matches no
// cell gets one row without a cell. Controls never match, nor does a baseline its own speedup.
//   results  with the estimates and comparisons of the observation.
std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results);

}  // namespace scalestudy

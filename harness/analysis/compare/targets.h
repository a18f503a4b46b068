// Declared targets, judged by what was measured.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes one row for each target and matching cell. A target over several cells first gets a row of
// its own, without a cell. A target that matches no cell gets one row without a cell. Controls
// never match, nor does a baseline match a target on its own speedup.
// - A cell has met the target if its whole interval is on the good side of the level, and missed it
//   if the interval is wholly on the bad side; else it is undecided. Over several cells this is
//   adjusted for all of them (Holm), unless every one has met it.
// - A target over several cells is met if every cell has met it by its own interval, which needs no
//   adjustment; missed if some cell has missed it after adjustment; else undecided.
// - results: with the estimates and comparisons of the observation.
std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results);

}  // namespace scalestudy

// What a setting is worth on average over combinations of other settings, beside its pair with one
// baseline.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Makes two rows for each entry of find_crossed_cells(). They name the first of its pairs and are
// computed from all of them, paired if kLeastBlocks blocks hold all of their cells.
// - main_effect: the throughput with one value over that with the other, as the geometric mean over
//   the pairs, by stats/factor_effect.h. Verdicts as of a speedup; Holm over the main effects of
//   the study. The remark says over which combinations.
// - interaction: the ratio of the pair that stands out most, over the geometric mean of those of
//   the others. The verdict is faster or slower if the setting is worth more or less there; Holm
//   over all pairs of all main effects. The remark says where, or in which range the ratios are.
std::vector<ComparisonRow> main_effects(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

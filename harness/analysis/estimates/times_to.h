// Times to a declared accuracy or loss: medians of cells, and cells against their baselines.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

struct TimesTo {
  std::vector<EstimateRow> estimates;
  std::vector<ComparisonRow> comparisons;
};

// For each goal of analysis.time_to and each measured cell with a trial that can tell:
// - estimate time_to:METRIC:LEVEL, median, s: Kaplan-Meier, where a trial without the value counts
//   as longer than it trained. not_reached if more than half do not reach it, even where the curve
//   falls to one half: lo is then a lower bound. Without hi the interval is open above.
// - estimate reached:METRIC:LEVEL, mean: the share of trials that reach it, with the interval of
//   Clopper and Pearson; without one if all trials have one seed (Seeds::kOne).
// - comparison time_to:METRIC:LEVEL with the baseline: value is the baseline's median over the
//   cell's, above 1 if the cell is there sooner. p is of the log-rank test, adjusted by Holm over
//   the goal's comparisons, and decides alone: value has no interval. Of one seed there is no p.
TimesTo times_to(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

// How often to save, and what failures and preemptions then cost, from measured checkpoints and
// declared rates.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Makes estimates for each measured cell whose trials saved or restarted. All are scenarios,
// without sd. The first three need the rate of analysis.failures; the others, at each price of the
// study's cost that declares preemptions, need its training. `:NAME` is price_suffix().
// - young_interval_s, daly_interval_s: from the mean time of a save and the ends of its interval.
//   The rate has no error.
// - expected_overhead: time beyond the work / work, if a save is made every daly_interval_s; only
//   for cells that report downtime_s, the time of a restart. It rises with both times, so its ends
//   follow from the ends of both, each at (1 + confidence) / 2, so that both together hold at
//   `confidence` at least (Bonferroni).
// - preempted_overhead[:NAME]: the same at the price's rate of preemptions.
// - preempted_training_hours[:NAME], preempted_training_cost[:NAME]: of the declared training. Its
//   time is that of its steps times 1 + preempted_overhead. Ends follow from those of the step's
//   time as well, each time at a confidence that lets all of them hold together.
// - preempted_training_saving:NAME: the fraction by which that cost is below the training's at the
//   first price without preemptions; absent if that price declares some.
//
// Cells with notice (failure: sigterm) have no intervals, and their overhead is that of restarts
// alone, because nothing is lost. If the save itself fails (enospc, eio) there are no estimates. An
// estimate has no value and is not_applicable if a save is too long for the time between failures
// (checkpoint_interval.h of stats). A value without interval is invalid_input if an end is no time,
// not_applicable if an end is too long; else it has the status of the measured time.
std::vector<EstimateRow> save_intervals(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

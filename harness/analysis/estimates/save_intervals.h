// How often to save, and what failures then cost, from measured checkpoints and a declared rate.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Makes estimates for each measured cell whose trials saved, with the rate of analysis.failures.
// All are scenarios, without sd. Empty without a rate.
// - young_interval_s, daly_interval_s: from the mean time of a save and the ends of its interval.
//   The rate has no error.
// - expected_overhead: time beyond the work / work, if a save is made every daly_interval_s; only
//   for cells that report downtime_s, the time of a restart. It rises with both times, so its ends
//   follow from the ends of both, each at (1 + confidence) / 2, so that both together hold at
//   `confidence` at least (Bonferroni).
//
// Cells with notice (failure: sigterm) have expected_overhead alone, because nothing is lost. If
// the save itself fails (enospc, eio) there are no estimates. An estimate has no value and is
// not_applicable if a save is too long for the time between failures (checkpoint_interval.h of
// stats). A value without interval is invalid_input if an end is no time, not_applicable if an end
// is too long; else it has the status of the measured time.
std::vector<EstimateRow> save_intervals(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

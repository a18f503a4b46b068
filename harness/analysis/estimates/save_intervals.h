// How often to save, and what failures cost then, from measured checkpoints and a declared rate.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Of each measured cell whose trials saved, by analysis.failures; all of them a scenario, without
// sd; empty without a rate:
//   young_interval_s, daly_interval_s   maps of the mean time of a save and of the ends of its
//                                       interval; the rate has no error
//   expected_overhead                   of time beyond the work, over the work, saving each
//                                       daly_interval_s; of cells that tell downtime_s, which a
//                                       restart takes. It rises with both times: its ends are those
//                                       of both together, each at (1 + confidence) / 2, so that
//                                       both hold at `confidence` at least (Bonferroni)
// Cells with notice (failure: sigterm) have expected_overhead alone, as nothing is lost; of a
// failure in the save itself (enospc, eio) there is none of the three. Without value and
// not_applicable where a save is too long beside the time between failures (checkpoint_interval.h
// of stats); a value without interval is invalid_input where an end is no time, not_applicable
// where one is too long, and else has the status of the measured time.
std::vector<EstimateRow> save_intervals(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

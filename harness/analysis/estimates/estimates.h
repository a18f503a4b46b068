// Statistics of each cell over its trials.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes estimates for each cell and metric, with and without the flagged trials (variants all,
// unflagged). In cells with disturbed trials, the mean step time and what follows from it also come
// without these trials, and as if none had been put aside (undisturbed, with_disturbed). Leaving
// out trials by counters, whatever their step times are, does not bias an interval.
// - step_time_s: mean, p50, p95, p99.
// - step_time_s, relative_half_width: the width that a measured cell of an adaptive study achieved,
//   variant all; the status is the reason that stopped the cell (precision.h).
// - throughput, throughput_per_device, cost_per_million_samples: from the mean step time, if batch
//   and price are known.
// - checkpoint_save_bytes_per_s, checkpoint_load_bytes_per_s: from the mean time of a save and of a
//   load, in cells with checkpoints.
// - loss_final: the last loss of each trial.
// - computation_share, exposed_communication_share, update_share, data_share, other_share: parts of
//   the step time, profiled per trial: forward and backward pass, collectives that it waits for,
//   optimizer, input, and the rest.
// - overlap_efficiency: hidden communication over all communication, per trial; absent if nothing
//   can be hidden (a single bucket).
// - any other metric: mean; for workload `command` p50 and p95 as well.
//
// A cell without a usable trial still has its rows of step_time_s and throughput, without values.
// `value` comes without an interval
// - for a single trial (insufficient_data);
// - in every unflagged row (status unflagged), since no interval allows for leaving out outliers;
// - for p95 and p99 with fewer than 2.5 steps beyond the quantile for every trial of the cell
//   (unattainable), because the interval covers 93 % only from there on. With fewer than 5 steps
//   beyond the quantile in some trial there is no value either.
std::vector<EstimateRow> estimate_cells(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

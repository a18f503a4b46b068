// Statistics of each cell over its trials.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Per cell and metric, with and without the flagged trials (variant all, unflagged); of the mean
// step time and its maps also without the disturbed trials and as if none had been put aside
// (undisturbed, with_disturbed), in cells that met any. Leaving out what counters tell, whatever
// its step times are, takes nothing from an interval.
//   step_time_s           mean, p50, p95, p99
//   step_time_s           relative_half_width of an adaptive study's measured cells, variant all:
//                         achieved, with the reason that stopped the cell (precision.h) as status
//   throughput, throughput_per_device, cost_per_million_samples
//                         maps of the mean step time, where batch and price are known
//   checkpoint_save_bytes_per_s, checkpoint_load_bytes_per_s
//                         maps of the mean time of a save and of a load, of cells with checkpoints
//   loss_final            the last loss of each trial
//   computation_share, exposed_communication_share, update_share, data_share, other_share
//                         of the step time, profiled per trial: forward and backward pass,
//                         collectives that it waits for, optimizer, input, and what is left
//   overlap_efficiency    hidden communication over all communication, likewise; absent where
//                         nothing can be hidden (a single bucket)
//   any other metric      mean; for workload `command` p50 and p95 as well
// A cell without a usable trial has its step_time_s and throughput rows all the same, without
// values. `value` is present without an interval when a single trial is all there is
// (insufficient_data), in every unflagged row (status unflagged: no interval allows for leaving out
// what is far away), and for p95 and p99 of fewer than 2.5 steps beyond the quantile for every
// trial of the cell (unattainable; of fewer than 5 in a trial not even a value): only from there
// on does the interval cover 93 %.
std::vector<EstimateRow> estimate_cells(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy

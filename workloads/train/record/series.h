// Step times of every rank, as the series of the trial protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/train/times/step_timer.h"

namespace scalestudy::train {

// Step times as [rank][step], warm-up first; every rank has as many steps.
using AllSteps = std::vector<std::vector<StepTimes>>;

// Splits each step's collectives into transfer and skew. The last rank to arrive in a collective
// waits for nobody, so that the shortest duration over the ranks is the transfer; this compares
// durations only, clocks need not agree.
//   transfer_s  like steps.collective_s, each the smallest over the ranks.
void add_skew(RankSteps& steps, const std::vector<double>& transfer_s);

// Each step as its slowest rank saw it, so that the phases still add up to the step time. But the
// skew is that of the rank that waited longest, and the loss is the sum over the ranks, which is
// the mean over the global batch.
std::vector<StepTimes> over_ranks(const AllSteps& all);

// The longest time of a rank from the start of its first measured step to the end of its last, s:
// the sum of these steps' times, each of which starts where the one before it ended (StepTimer).
// Compares no clocks. 0 if no step is measured.
double window_time_s(const AllSteps& all, std::size_t warmup);

struct SeriesLayout {
  std::size_t warmup = 0;
  bool has_phases = true;    // false: timing light; what was not timed is absent, not zero
  bool has_overlap = false;  // communication can be hidden: buckets, and ranks that talk
  // Whether the end of a collective is known. False for overlap poll, which notices the end at a
  // later call; until then nothing may have moved, so that the time includes computation.
  bool has_collective_ends = true;
  bool has_collectives = true;  // false: stages of a pipeline, which wait for messages
  bool has_loss = true;         // something was computed
  // The time of a step on one device at its peak FLOP/s, s; absent if that is not known.
  std::optional<double> peak_step_time_s = std::nullopt;
};

// How many fields of StepTimes, from the first on, such a run has measured, not counting the loss.
std::size_t timed_field_count(const SeriesLayout& layout);

// The series of the fields over ranks, then those of each rank without the loss. Only over ranks:
// - window_time_s: one value.
// - exposed_communication_max_time_s, exposed_communication_mean_time_s: over the ranks.
// - hidden_communication_time_s: communication less exposed; below 0 if handing it over costs more
//   than is hidden. Overlap efficiency is its share of all communication.
// - model_flop_utilization: peak step time over the step time.
// - pipeline_bubble: for stages, the share of the step time (over ranks) in which a rank does no
//   forward, backward or update; the mean over the ranks.
// - loss: if there is one and it is finite throughout.
std::vector<protocol::Samples> make_series(const AllSteps& all, const SeriesLayout& layout);

// Check whether every step's loss is finite; `diverged_step` is the first one whose loss is not.
protocol::Check check_loss(const AllSteps& all);
protocol::Check check_loss(std::optional<std::size_t> diverged_step);

// Checks whether the phases explain the step: on every rank the median of |other_time_s| over
// measured steps must be at most 2 % of the median step, or 20 us.
protocol::Check check_phases(const AllSteps& all, std::size_t warmup);

// Median of one field over the measured steps; the mean of the middle two when their number is
// even.
double median(const std::vector<StepTimes>& steps, std::size_t warmup, Field field);

}  // namespace scalestudy::train

// Typical and tail step time: a quantile inside each trial, then a t interval across trials.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

struct TailAcrossTrials {
  Status status = Status::kInsufficientData;
  std::vector<double> trial_quantiles;  // one per trial; empty when unattainable or invalid
  MeanInterval across_trials;           // .mean is the estimate
};

// Mean over trials of the type 7 quantile `p` of each trial's step times, with its t interval.
//
//   steps   step times in seconds, one vector per trial, > 0.
//   p       in (0, 1).
//   status  unattainable: a trial has fewer than 5 steps beyond the quantile, S min(p, 1-p) < 5
//           (p95 needs 100 steps, p99 needs 500); then as mean_ci_t.
//   source  METHODS.md, One cell.
TailAcrossTrials tail_across_trials(std::span<const std::vector<double>> steps,
                                    double p,
                                    double level);

}  // namespace scalestudy::stats

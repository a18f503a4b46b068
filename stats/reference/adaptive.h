// Rules for the number of trials that `run` and `plan` do not use.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"
#include "stats/stopping.h"

namespace scalestudy::stats {

// stopping_rule with mean_ci_t of all trials as the interval, for trials of one session.
//
//   status  invalid_input: not finite, or as stopping_rule; insufficient_data: fewer than 2 trials
//           so far; zero_variance as mean_ci_t; else ok.
Stopping stopping_rule(std::span<const double> trials, const StoppingPlan& plan);

struct TwoStagePlan {
  Status status = Status::kInsufficientData;
  std::optional<std::size_t> total_trials;     // at most t_max
  std::optional<std::size_t> unlimited_total;  // trials that the precision needs, without a limit
};

// Stein's rule: max(n0, ceil((t(n0-1) s0 / (rel_half_width mean0))^2)) from a pilot of n0 >= 2
// trials. The interval then uses the pilot's s0. Source: Stein 1945.
TwoStagePlan two_stage_plan(std::span<const double> pilot,
                            double rel_half_width,
                            double level,
                            std::size_t t_max);

}  // namespace scalestudy::stats

// Plans a study before it runs: how many trials and steps it needs, what it can detect.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

// Power of the two-sided two-sample t test with n trials a side, both tails; absent when n < 2, sd
// <= 0 or alpha outside (0, 1). delta and sd in the same unit. Noncentral t, 2n - 2 degrees of
// freedom.
std::optional<double> power_t_two_sample(double n, double delta, double sd, double alpha);

// The effect, in standard errors of the estimate, that a two-sided t test on `df` degrees of
// freedom detects with `power`: the noncentrality at which the test at level alpha rejects so
// often. Absent for df <= 0, alpha or power outside (0, 1), power <= alpha, or an effect above 1e9.
// The sum of two central quantiles, which is often taken for it, is 2 to 10 % too small at 3 to 20
// degrees of freedom.
std::optional<double> detectable_effect(double df, double alpha, double power);

struct TwoSampleSize {
  Status status = Status::kInvalidInput;
  std::optional<std::size_t> n_per_group;
};

// Smallest n >= 2 a side that detects a ratio of 1 + rel_diff with `power`, for trials of
// coefficient of variation cv: effect ln(1 + rel_diff)/cv. unattainable beyond 10^6.
TwoSampleSize sample_size_two_sample(double cv, double rel_diff, double alpha, double power);

// Smallest n >= 2 at which the two-sided one-sample t test detects a mean that is `effect` standard
// deviations from the level with `power`. Absent for an effect that is not > 0, for alpha or power
// outside (0, 1), and beyond 10^6.
std::optional<std::size_t> sample_size_one_sample(double effect, double alpha, double power);

struct DetectableRatio {
  Status status = Status::kInvalidInput;
  std::optional<double> rel_diff;  // > 0: ratios beyond 1 + rel_diff or below 1/(1 + rel_diff)
};

// Smallest relative difference that n trials a side, of coefficient of variation cv, detect with
// `power`: the inverse of sample_size_two_sample in rel_diff, to 1e-10 of its logarithm.
// insufficient_data: n < 2. unattainable: only a ratio beyond 1e6 would do, or power <= alpha,
// which no difference at all has. Source: METHODS.md, Sessions.
DetectableRatio detectable_ratio(std::size_t n, double cv, double alpha, double power);

struct OptimalSteps {
  Status status = Status::kInsufficientData;
  std::optional<double> optimal_steps_real;
  std::optional<std::size_t> optimal_steps;  // rounded up, at least 1
};

// Steps a trial that give the most precision for the time spent: sqrt(c_trial/c_step t1_sq/t2_sq),
// where t1_sq is the mean variance within trials, and t2_sq the variance of their means less
// t1_sq / steps.
//
//   groups        steps of each trial, equally many, >= 2.
//   cost_trial_s  launch and warm-up of a trial, seconds, > 0; cost_step_s one step, > 0.
//   status        negative_component: t2_sq <= 0, no optimum, keep the planned steps.
//   source        Kalibera & Jones 2013 with t2_sq as in libkalibera.
OptimalSteps kalibera_optimal(std::span<const std::vector<double>> groups,
                              double cost_trial_s,
                              double cost_step_s);

}  // namespace scalestudy::stats

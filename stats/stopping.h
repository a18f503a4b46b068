// Decides when to stop adding trials, and how many trials a precision needs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

enum class StopReason {
  kContinue,   // run another trial
  kPrecision,  // the target was met and the extra trials are done
  kBudget,     // t_max trials
};

// After which trials the rule looks. Fewer looks give fewer chances to stop on a lucky stretch.
enum class Looks {
  kEvery,    // every trial from t_min on
  kWidening  // 5, 10, 15, 20, then every 10th trial, as far as they are not below t_min
};

struct StoppingPlan {
  double rel_half_width = 0.02;  // of the t interval of the primary metric's trial means
  std::size_t t_min = 10;        // first look; at 2, without extra, 95 % intervals cover 88 to 90 %
  std::size_t t_max = 50;
  std::size_t extra = 2;  // trials after the target is first met, against lucky stretches
  double level = 0.95;
  Looks looks = Looks::kEvery;
};

struct Stopping {
  Status status = Status::kInsufficientData;
  StopReason reason = StopReason::kContinue;
  std::optional<std::size_t> target_met_at;  // trials at the first look that met the target
  std::optional<std::size_t> stop_at;        // absent while reason is kContinue
  std::optional<double> mean;                // over the trials up to stop_at, or so far
  std::optional<double> rel_half_width;      // achieved
};

// Replays the rule over `trials` trials in run order: the decision depends only on the data so far.
// It never looks at a p value. A cap on wall time is the caller's.
//
// - interval_of: the interval that the first `count` trials give.
// - status: invalid_input for a wrong level, rel_half_width <= 0, t_min < 2 or t_max < t_min; else
//   the status of the interval reached.
Stopping stopping_rule(std::size_t trials,
                       const std::function<MeanInterval(std::size_t count)>& interval_of,
                       const StoppingPlan& plan);

struct SampleSize {
  Status status = Status::kInvalidInput;
  std::optional<std::size_t> n;
  std::optional<double> half_width;  // relative, at n
};

// Smallest n >= 2 with t(n-1) cv / sqrt(n) <= rel_half_width: the trials a cell with coefficient of
// variation `cv` (of trial means) needs. unattainable beyond 10^9.
SampleSize sample_size_ci(double cv, double rel_half_width, double level);

struct PilotSampleSize {
  Status status = Status::kInsufficientData;
  std::optional<double> cv;  // of the pilot
  std::optional<std::size_t> n;
  std::optional<std::size_t> n_lo;  // n at the ends of the interval of cv
  std::optional<std::size_t> n_hi;  // absent if not even 10^9 trials would do
};

// sample_size_ci from a pilot, with the uncertainty of its cv: the chi-squared interval of the
// standard deviation, df s^2 / chi^2. The pilot's mean counts as known.
//
//   pilot   trial means in any unit, > 0, near normal.
//   df      degrees of freedom of their spread, > 0: n0 - 1 if absent.
//   status  insufficient_data: fewer than 2 trials; zero_variance: they do not vary;
//           invalid_input: not positive, rel_half_width <= 0, level; else as sample_size_ci.
PilotSampleSize sample_size_from_pilot(std::span<const double> pilot,
                                       double rel_half_width,
                                       double level,
                                       std::optional<double> df = std::nullopt);

}  // namespace scalestudy::stats

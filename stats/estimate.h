// A value with its interval, and the monotone maps between report quantities.
//
// Every derived quantity is a map of a step time or of a ratio of step times, end points included,
// so that a report never contradicts itself (METHODS.md, Why these methods).
#pragma once

#include <optional>

#include "stats/mean_interval.h"

namespace scalestudy::stats {

struct Estimate {
  std::optional<double> value;
  std::optional<double> lo;  // absent: no lower end is known
  std::optional<double> hi;  // absent: no upper end is known
};

// The mean and its interval.
Estimate estimate_of(const MeanInterval& interval);

// factor * x, factor > 0.
Estimate scale_estimate(const Estimate& x, double factor);

// numerator / x, numerator > 0: the ends change places. An end of x at or below 0 has no
// image, so the matching end is absent (n = 2 intervals of noisy times reach below 0).
Estimate invert_estimate(const Estimate& x, double numerator);

// 1 - x: the ends change places. Overhead from efficiency or from an ablation ratio.
Estimate complement_estimate(const Estimate& x);

// Price of 10^6 samples when a step of `step_time_s` seconds on `gpus` devices processes
// `samples_per_step` samples. The price is a constant, without sampling error.
Estimate cost_per_million_samples(const Estimate& step_time_s,
                                  double samples_per_step,
                                  double gpus,
                                  double price_per_gpu_hour);

}  // namespace scalestudy::stats

// Bootstrap intervals, for statistics without a formula. For a cell's mean prefer mean_ci_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

enum class ResampledStatistic { kMean, kMedian };

// Everything random about an interval. Store it with the result: the same plan and data give the
// same bits on every machine and from any number of threads.
struct BootstrapPlan {
  std::uint64_t seed = 0;
  std::size_t resamples = 9999;
  double level = 0.95;
};

struct BootstrapInterval {
  Status status = Status::kInsufficientData;
  BootstrapPlan plan;
  std::size_t n = 0;  // trials; of the smaller side for a ratio
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> z0;            // BCa: bias correction
  std::optional<double> acceleration;  // BCa
  std::optional<double> p_lo;          // BCa: the quantiles taken instead of (1-level)/2
  std::optional<double> p_hi;
};

// All resample whole trials: one value per trial, >= 2 of them.
//
//   invalid_input      a value is not finite, level outside (0, 1), resamples 0; a spread that
//                      overflows.
//   insufficient_data  fewer than 2 values; the estimate is given for one.
//   zero_variance      all equal; the interval has width zero and must be flagged.
//   unattainable       the ends lie beyond the outermost resamples (too few, or for bootstrap_t
//                      too many without spread: n = 2 or 3); the estimate is given.
//
// Percentile and BCa intervals are too short at few trials: see METHODS.md for their coverage
// before printing one. Source: Efron 1987; METHODS.md, Bootstrap.

// Percentile interval: with k = floor((1-level)/2 (B+1)) the order statistics k and B+1 - k of the
// statistic over B resamples.
BootstrapInterval bootstrap_percentile(std::span<const double> x,
                                       ResampledStatistic statistic,
                                       const BootstrapPlan& plan);

// Percentile interval of mean(a) / mean(b), both sides resampled independently. invalid_input also
// for values <= 0.
BootstrapInterval bootstrap_percentile_ratio(std::span<const double> a,
                                             std::span<const double> b,
                                             const BootstrapPlan& plan);

// Bias-corrected and accelerated interval. degenerate: the statistic does not change when a trial
// is left out.
BootstrapInterval bootstrap_bca(std::span<const double> x,
                                ResampledStatistic statistic,
                                const BootstrapPlan& plan);

// Studentised interval of the mean: m - q se for the quantiles q of (m* - m)/se*. Use this one when
// a bootstrap is asked for.
BootstrapInterval bootstrap_t(std::span<const double> x, const BootstrapPlan& plan);

}  // namespace scalestudy::stats

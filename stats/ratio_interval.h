// Intervals for the ratio of two cells: speedup, efficiency, overhead, cost ratio.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct RatioInterval {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  std::optional<double> ratio;
  std::optional<double> se_log;  // standard error of ln ratio
  std::optional<double> t;       // ln ratio / se_log
  std::optional<double> df;
  std::optional<double> p;  // two-sided, ratio = 1
  std::optional<double> lo;
  std::optional<double> hi;
};

// Interval, t and p from the ratio and the level; zero_variance if the standard error is 0.
void complete_ratio(RatioInterval& result, double se_log, double df);

// All methods give the ratio `a` over `b`: one value per trial, > 0, same unit; level in (0, 1).
// Swapping a and b gives exact reciprocals; intervals are never negative and never unbounded. Their
// statuses:
//
//   invalid_input      a value is not finite or not > 0; level; unequal lengths of blocks.
//   insufficient_data  fewer than 2 values on a side; the ratio is given when both sides have one.
//   zero_variance      no spread on either side (paired: in the block ratios, within rounding): the
//                      ratio only.

// Ratio of means, delta method on the log scale: the default for independent trials.
// Source: METHODS.md, Two cells.
RatioInterval log_ratio_delta(std::span<const double> a, std::span<const double> b, double level);

// Ratio of geometric means: Welch t on logarithms.
RatioInterval log_ratio_welch(std::span<const double> a, std::span<const double> b, double level);

// Ratio of means over complete blocks, the ratio that machine time is paid by. Its standard error
// is that of the mean of a_k / mean(a) - b_k / mean(b), n - 1 degrees of freedom. The default for
// complete randomised blocks with 5 trials or more; a and b in block order. Source: METHODS.md, Two
// cells.
RatioInterval log_ratio_delta_paired(std::span<const double> a,
                                     std::span<const double> b,
                                     double level);

// Geometric mean of the block ratios a_k / b_k: t on block log ratios, n - 1 degrees of freedom. It
// differs from the ratio of means where the spreads of the two sides do.
RatioInterval log_ratio_paired(std::span<const double> a, std::span<const double> b, double level);

}  // namespace scalestudy::stats

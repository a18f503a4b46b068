// Tests of the difference between two cells.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct Difference {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  std::optional<double> diff;  // mean a - mean b, or the mean of a_k - b_k
  std::optional<double> se;
  std::optional<double> t;
  std::optional<double> df;
  std::optional<double> p;  // two-sided
  std::optional<double> lo;
  std::optional<double> hi;
};

// Both tests take one value per trial, any unit, and a level in (0, 1). Their statuses:
//
//   invalid_input      a value is not finite, level outside (0, 1), unequal lengths of pairs.
//   insufficient_data  fewer than 2 values on a side (diff is given when both sides have one).
//   zero_variance      both sides constant (pairs: all differences equal within rounding); gives
//                      diff only, because no spread supports a t of infinity.

// Welch's t, nu not rounded. Source: Welch 1947.
Difference welch_t(std::span<const double> a, std::span<const double> b, double level);

// One-sample t on a_k - b_k; a and b in the order of their blocks.
//   least_scale  values carry an absolute rounding error of at least epsilon * least_scale, as
//                logarithms of times near 1 s do.
Difference paired_t(std::span<const double> a,
                    std::span<const double> b,
                    double level,
                    double least_scale = 0.0);

}  // namespace scalestudy::stats

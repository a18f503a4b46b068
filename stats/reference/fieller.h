// Fieller's set for a ratio of means: a cross-check of log_ratio_delta.
#pragma once

#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct FiellerRatio {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> ratio;
  std::optional<double> df;
  std::optional<double> g;  // below 1 the set is an interval
  // bounded: the set is [lo, hi]; unbounded_complement: it lies outside (lo, hi); absent for
  // unbounded_all.
  std::optional<double> lo;
  std::optional<double> hi;
};

// The set {rho: (m_a - rho m_b)^2 <= t^2 (v_a + rho^2 v_b)}, v = s^2/n, Welch degrees of freedom at
// the ratio of means.
//
//   a, b    one value per trial, any sign.
//   status  bounded, unbounded_complement or unbounded_all; insufficient_data: n < 2 on a side;
//           zero_variance: no spread on either side; degenerate: the mean of b is 0 (no ratio).
//   source  Fieller 1954.
FiellerRatio fieller_ratio(std::span<const double> a, std::span<const double> b, double level);

}  // namespace scalestudy::stats

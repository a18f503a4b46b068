// The share of an amount that a change removes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct Reduction {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::size_t n = 0;            // blocks
  std::optional<double> share;  // 1 - mean changed / mean of base; below 0 if the change adds
  std::optional<double> lo;
  std::optional<double> hi;
};

// Fieller's interval for 1 - mean(changed) / mean(base) over complete blocks: all rho for which the
// mean of changed_k - rho base_k is within t standard errors of 0, n - 1 degrees of freedom.
//
//   base, changed  amounts of one block each, of any sign, same unit; in block order.
//   level          in (0, 1).
//   status         invalid_input: a value is not finite, unequal lengths, level.
//                  insufficient_data: fewer than 2 blocks.
//                  unresolved: the t interval of the base's mean is not above 0, so that there may
//                  be nothing to remove, and Fieller's set is no interval; no share either.
//                  zero_variance: no block differs from another; the share only.
//   source         Fieller 1954.
Reduction reduction(std::span<const double> base, std::span<const double> changed, double level);

}  // namespace scalestudy::stats

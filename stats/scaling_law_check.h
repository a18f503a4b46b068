// What the scaling-law fits require of their points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "stats/check.h"
#include "stats/status.h"

namespace scalestudy::stats {

// Returns kOk if n >= 1 and values > 0 in equal number, with enough distinct n and points for the
// parameters; kInsufficientData if there are too few, kInvalidInput otherwise.
inline Status check_scaling_points(std::span<const double> n,
                                   std::span<const double> values,
                                   std::size_t parameters,
                                   double level,
                                   std::size_t df_taken) {
  if (n.size() != values.size() || !all_finite(n) || !all_positive(values) || !is_level(level)) {
    return Status::kInvalidInput;
  }
  for (const double devices : n) {
    if (devices < 1.0) {
      return Status::kInvalidInput;
    }
  }
  std::vector<double> distinct(n.begin(), n.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const bool is_enough = distinct.size() >= parameters && n.size() > parameters + df_taken;
  return is_enough ? Status::kOk : Status::kInsufficientData;
}

}  // namespace scalestudy::stats

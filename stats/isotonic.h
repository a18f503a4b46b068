// The closest monotone curve.
#pragma once

#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct IsotonicFit {
  Status status = Status::kInsufficientData;
  std::vector<double> fit;  // non-decreasing, in the order of y
};

// Weighted least squares fit that never decreases (pool adjacent violators). y finite, w > 0, same
// length, else invalid_input; empty: insufficient_data. For a falling curve fit -y and negate.
IsotonicFit isotonic(std::span<const double> y, std::span<const double> w);

}  // namespace scalestudy::stats

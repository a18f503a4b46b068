// Interval for the share of trials in which something happened.
#pragma once

#include <cstddef>
#include <optional>

#include "stats/status.h"

namespace scalestudy::stats {

struct BinomialInterval {
  Status status = Status::kInvalidInput;
  std::optional<double> share;
  std::optional<double> lo;
  std::optional<double> hi;
};

// The share `count` of `n` with the interval of Clopper and Pearson, which covers at least `level`.
//
//   status  invalid_input: n is 0, count above n, or level outside (0, 1).
//   source  Clopper & Pearson 1934.
BinomialInterval binomial_interval(std::size_t count, std::size_t n, double level);

}  // namespace scalestudy::stats

// Distribution-free interval for a median.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct MedianInterval {
  Status status = Status::kInsufficientData;
  std::size_t n = 0;
  std::optional<double> median;
  std::optional<std::size_t> rank_lo;  // the ends are the order statistics of these ranks, from 1
  std::optional<std::size_t> rank_hi;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> coverage;      // achieved, >= level: print this one
  std::optional<double> max_coverage;  // of [min, max]
};

// Order statistics [x_(d), x_(n+1-d)] with the largest d for which P(Bin(n, 1/2) < d) <=
// (1-level)/2.
//
//   x       one value per trial.
//   status  unattainable: even [min, max] covers less than level (n < 6 at 95 %, n < 8 at 99 %);
//           the median and max_coverage are given. invalid_input: not finite, or level.
//   source  Thompson 1936; METHODS.md, One cell.
MedianInterval median_ci_order(std::span<const double> x, double level);

}  // namespace scalestudy::stats

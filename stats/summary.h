// Description of one sample: centre, spread, order statistics.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalestudy::stats {

// Mean and (n-1) variance, two-pass with a correction for the rounding of the mean.
struct Moments {
  std::size_t n = 0;
  double mean = 0.0;
  double variance = 0.0;     // 0 when n < 2
  bool is_constant = false;  // all values equal: variance is exactly 0
};

// `values` must not be empty and must be finite.
Moments moments(std::span<const double> values);

std::optional<double> mean(std::span<const double> values);                // absent: empty
std::optional<double> standard_deviation(std::span<const double> values);  // n-1; absent: n < 2
std::optional<double> median(std::span<const double> values);              // absent: empty

// Standard deviation over the mean; absent for n < 2, a mean of 0 or a value that is not finite.
std::optional<double> coefficient_of_variation(std::span<const double> values);

// Type 7 quantile (R and numpy default): h = (n-1) p, linear between neighbours. `sorted` ascending
// and not empty, p in [0, 1].
double sorted_quantile(std::span<const double> sorted, double p);

// Type 7 quantile of unsorted values; absent when empty or p outside [0, 1].
std::optional<double> quantile(std::span<const double> values, double p);

// An ascending copy; the argument keeps its order.
std::vector<double> sorted_copy(std::span<const double> values);

// median |x - centre|, unscaled. `values` must not be empty.
double median_absolute_deviation(std::span<const double> values, double centre);

}  // namespace scalestudy::stats

// Description of one sample: centre, spread, order statistics.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

// Factor by which the MAD of normal data estimates its standard deviation: 1 / Phi^-1(3/4).
inline constexpr double kMadToSigma = 1.482602218505602;

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

// Type 7 quantile (R and numpy default): h = (n-1) p, linear between neighbours. `sorted` ascending
// and not empty, p in [0, 1].
double sorted_quantile(std::span<const double> sorted, double p);

// Type 7 quantile of unsorted values; absent when empty or p outside [0, 1].
std::optional<double> quantile(std::span<const double> values, double p);

// An ascending copy; the argument keeps its order.
std::vector<double> sorted_copy(std::span<const double> values);

// median |x - centre|, unscaled. `values` must not be empty.
double median_absolute_deviation(std::span<const double> values, double centre);

struct Description {
  Status status = Status::kInsufficientData;
  std::size_t n = 0;
  std::optional<double> mean;
  std::optional<double> sd;        // absent for n = 1
  std::optional<double> variance;  // absent for n = 1
  std::optional<double> cv;        // sd / mean; absent when the mean is 0
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> median;
  std::optional<double> q25;
  std::optional<double> q75;
  std::optional<double> p95;
  std::optional<double> mad_raw;
  std::optional<double> mad_sigma;
  std::optional<double> harmonic_mean;         // absent unless all values are > 0
  std::optional<double> geometric_mean;        // absent unless all values are > 0
  std::optional<double> lag1_autocorrelation;  // NIST form; absent when constant or n < 2
};

// `x` in measurement order, any unit. invalid_input when a value is not finite; zero_variance
// (with all numbers) when n >= 2 values are equal. Source: NIST e-Handbook 1.3.5.
Description descriptive(std::span<const double> x);

}  // namespace scalestudy::stats

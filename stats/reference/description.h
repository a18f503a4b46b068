// Description of one sample: centre, spread, order statistics, and the fences beyond which values
// are unusual.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

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

enum class FenceLabel { kLowSevere, kLowMild, kInside, kHighMild, kHighSevere };

struct TukeyFences {
  Status status = Status::kInsufficientData;
  std::optional<double> q1;
  std::optional<double> q3;
  std::optional<double> inner_lo;  // q1 - 1.5 IQR
  std::optional<double> inner_hi;
  std::optional<double> outer_lo;  // q1 - 3 IQR
  std::optional<double> outer_hi;
  std::size_t low_severe = 0;
  std::size_t low_mild = 0;
  std::size_t high_mild = 0;
  std::size_t high_severe = 0;
  std::vector<FenceLabel> labels;  // in the order of x
};

// Type 7 quartiles; mild beyond the inner fence, severe beyond the outer one, both strictly.
// invalid_input when a value is not finite, insufficient_data when x is empty.
TukeyFences tukey_fences(std::span<const double> x);

}  // namespace scalestudy::stats

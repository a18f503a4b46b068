// Straight lines, and whether a straight line is enough.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct LinearFit {
  Status status = Status::kInsufficientData;
  std::optional<double> intercept;
  std::optional<double> slope;
  std::optional<double> se_intercept;
  std::optional<double> se_slope;
  std::optional<double> cov;  // of intercept and slope
  std::optional<double> residual_sd;
  std::optional<double> df;
};

// Least squares y = intercept + slope x, from centred sums.
//
//   invalid_input      not finite, unequal lengths.
//   insufficient_data  fewer than 3 points: no residual degree of freedom.
//   degenerate         x constant: the slope is not identified.
LinearFit linreg(std::span<const double> x, std::span<const double> y);

struct LackOfFit {
  Status status = Status::kInsufficientData;
  std::optional<double> f;
  std::optional<double> df1;  // distinct x - parameters
  std::optional<double> df2;  // n - distinct x - df_taken
  std::optional<double> p;    // small: reject the model, print the table instead
};

// F test of a fitted model against one mean per distinct x. Needs more distinct x than parameters
// and replicates (insufficient_data otherwise); zero_variance when the replicates do not differ at
// all.
//   fitted      the model's value for each y, equal wherever x is equal.
//   parameters  free parameters fitted to y; one held at a bound does not count.
//   df_taken    degrees of freedom that take_out_blocks has spent on y already.
LackOfFit lack_of_fit_of_model(std::span<const double> x,
                               std::span<const double> y,
                               std::span<const double> fitted,
                               std::size_t parameters,
                               std::size_t df_taken = 0);

}  // namespace scalestudy::stats

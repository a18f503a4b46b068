// Linear least squares by QR.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalestudy::stats {

struct LeastSquares {
  std::vector<double> coef;
  // (X'X)^-1, row-major (p, p): times the residual variance, the covariance of coef.
  std::vector<double> unscaled_covariance;
  double rss = 0.0;
};

// Minimises |y - X coef|^2 with Householder reflections on columns scaled to unit length.
//
//   columns  X by column, each as long as y; at least as many rows as columns.
//   returns  nullopt when the columns are linearly dependent.
std::optional<LeastSquares> least_squares(std::span<const std::vector<double>> columns,
                                          std::span<const double> y);

}  // namespace scalestudy::stats

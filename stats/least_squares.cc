#include "stats/least_squares.h"

#include <cmath>
#include <limits>

#include "stats/sum.h"

namespace scalestudy::stats {
namespace {

double dot(std::span<const double> a, std::span<const double> b, std::size_t first) {
  return pairwise_sum(first, a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

// Reflects `column` from row `first` on by I - 2 v v' / v'v.
void reflect(std::vector<double>& column,
             std::span<const double> v,
             double v_squared,
             std::size_t first) {
  const double factor = 2.0 * dot(v, column, first) / v_squared;
  for (std::size_t i = first; i < column.size(); ++i) {
    column[i] -= factor * v[i];
  }
}

// Inverse of the upper triangle R held in the first rows of `r`, row-major (p, p).
std::vector<double> inverse_of_triangle(std::span<const std::vector<double>> r) {
  const std::size_t p = r.size();
  std::vector<double> inverse(p * p, 0.0);
  for (std::size_t j = 0; j < p; ++j) {
    inverse[j * p + j] = 1.0 / r[j][j];
    for (std::size_t i = j; i > 0; --i) {
      double sum = 0.0;
      for (std::size_t k = i; k <= j; ++k) {
        sum += r[k][i - 1] * inverse[k * p + j];
      }
      inverse[(i - 1) * p + j] = -sum / r[i - 1][i - 1];
    }
  }
  return inverse;
}

}  // namespace

std::optional<LeastSquares> least_squares(std::span<const std::vector<double>> columns,
                                          std::span<const double> y) {
  const std::size_t p = columns.size();
  std::vector<std::vector<double>> r(columns.begin(), columns.end());
  std::vector<double> right(y.begin(), y.end());
  std::vector<double> scale(p);
  for (std::size_t j = 0; j < p; ++j) {
    scale[j] = std::sqrt(dot(r[j], r[j], 0));
    if (!(scale[j] > 0.0) || !std::isfinite(scale[j])) {
      return std::nullopt;
    }
    for (double& entry : r[j]) {
      entry /= scale[j];
    }
  }
  const double dependent = static_cast<double>(y.size()) * std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < p; ++j) {
    const double length = std::sqrt(dot(r[j], r[j], j));
    if (!(length > dependent)) {
      return std::nullopt;
    }
    std::vector<double> v = r[j];
    v[j] += std::copysign(length, v[j]);
    const double v_squared = dot(v, v, j);
    for (std::size_t k = j; k < p; ++k) {
      reflect(r[k], v, v_squared, j);
    }
    reflect(right, v, v_squared, j);
  }
  const std::vector<double> inverse = inverse_of_triangle(r);
  LeastSquares result;
  result.coef.assign(p, 0.0);
  result.unscaled_covariance.assign(p * p, 0.0);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t k = i; k < p; ++k) {
      result.coef[i] += inverse[i * p + k] * right[k] / scale[i];
    }
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = std::max(i, j); k < p; ++k) {
        result.unscaled_covariance[i * p + j] +=
            inverse[i * p + k] * inverse[j * p + k] / (scale[i] * scale[j]);
      }
    }
  }
  result.rss = dot(right, right, p);
  return result;
}

}  // namespace scalestudy::stats

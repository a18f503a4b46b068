// Least squares of a time law with one shape parameter, on the log scale.
#pragma once

#include <limits>
#include <span>

namespace scalestudy::stats {

// t = t1 h(s, n): a time on one device and what more devices make of it.
struct Shape {
  double (*height)(double s, double n) = nullptr;        // > 0 between the bounds
  double (*slope_of_log)(double s, double n) = nullptr;  // d ln h / ds
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct ShapeFit {
  double s = 0.0;
  double log_t1 = 0.0;
  double rss = 0.0;        // of ln t
  double curvature = 0.0;  // centred sum of squared derivatives: se(s)^2 = rss / df / curvature
};

// Gauss-Newton in s with ln t1 at its optimum, halving steps that leave the bounds or do not
// descend. The least squares have one minimum for the laws that use it.
//
//   n, t   devices and time of each point, as long as each other, at least two distinct n.
//   start  of s; 0 where it is outside the bounds.
ShapeFit fit_shape(const Shape& shape,
                   std::span<const double> n,
                   std::span<const double> t,
                   double start);

}  // namespace scalestudy::stats

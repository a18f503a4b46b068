// Least squares of a time law with one shape parameter, on the log scale.
#pragma once

#include <limits>
#include <span>

#include "stats/robust_error.h"

namespace scalestudy::stats {

// The law t = t1 h(s, n): t1 is the time on one device, h the factor for n devices.
struct Shape {
  double (*height)(double s, double n) = nullptr;        // > 0 between the bounds
  double (*slope_of_log)(double s, double n) = nullptr;  // d ln h / ds
  double (*s_of)(double h, double n) = nullptr;          // the s for which height(s, n) is h
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
//   n, t   devices and time of each point, equal lengths, at least two distinct n.
//   start  where s starts; 0 is used if it is outside the bounds.
ShapeFit fit_shape(const Shape& shape,
                   std::span<const double> n,
                   std::span<const double> t,
                   double start);

// The interval of s, computed on the scale of ln h at the largest n. With two distinct n it is the
// interval of the ratio of their times, mapped to s.
struct SerialInterval {
  double se = 0.0;
  double df = 0.0;
  double lo = 0.0;
  double hi = 0.0;
};

// Calculates the interval of a fitted s.
// - groups: without cells all residuals spread alike (se, s -+ t se); with cells robust_error() is
//   used, unless it returns nothing.
// - df: degrees of freedom of the residuals, > 0.
SerialInterval serial_interval(const Shape& shape,
                               const ShapeFit& fit,
                               std::span<const double> n,
                               std::span<const double> t,
                               const TrialGroups& groups,
                               double level,
                               double df);

}  // namespace scalestudy::stats

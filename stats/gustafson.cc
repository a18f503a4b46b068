#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/scaling_law.h"
#include "stats/scaling_law_check.h"
#include "stats/shape_fit.h"

namespace scalestudy::stats {
namespace {

// Scaled speedup n - s (n - 1).
double height(double s, double n) {
  return n / (n - s * (n - 1.0));
}

double slope_of_log(double s, double n) {
  return (n - 1.0) / (n - s * (n - 1.0));
}

}  // namespace

GustafsonFit gustafson_fit(std::span<const double> n,
                           std::span<const double> t,
                           double level,
                           std::size_t df_taken) {
  GustafsonFit result;
  result.level = level;
  result.status = check_scaling_points(n, t, 2, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  const double largest = *std::max_element(n.begin(), n.end());
  const ShapeFit fit = fit_shape({.height = height,
                                  .slope_of_log = slope_of_log,
                                  // here the largest N would get nothing done
                                  .upper = largest / (largest - 1.0)},
                                 n,
                                 t,
                                 0.0);
  const double df = static_cast<double>(n.size() - df_taken) - 2.0;
  const double se = std::sqrt(fit.rss / df / fit.curvature);
  const double half_width = student_t_critical(level, df) * se;
  result.t1 = std::exp(fit.log_t1);
  result.serial_fraction = fit.s;
  result.se_serial = se;
  result.serial_lo = fit.s - half_width;
  result.serial_hi = fit.s + half_width;
  result.df = df;
  result.rss = fit.rss;
  result.status = fit.s < 0.0 ? Status::kSerialBelowZero : Status::kOk;
  for (const double devices : n) {
    result.fitted.push_back(*result.t1 * height(fit.s, devices));
  }
  return result;
}

}  // namespace scalestudy::stats

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

double gustafson_slope_of_log(double s, double n) {
  return (n - 1.0) / (n - s * (n - 1.0));
}

}  // namespace

double gustafson_serial(double ratio, double n) {
  return (n - n / ratio) / (n - 1.0);
}

GustafsonFit gustafson_fit(std::span<const double> n,
                           std::span<const double> t,
                           double level,
                           std::size_t df_taken,
                           const TrialGroups& groups) {
  GustafsonFit result;
  result.level = level;
  result.status = check_scaling_points(n, t, 2, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  const double largest = *std::max_element(n.begin(), n.end());
  const Shape shape{.height = height,
                    .slope_of_log = gustafson_slope_of_log,
                    .s_of = gustafson_serial,
                    // here the largest N would get nothing done
                    .upper = largest / (largest - 1.0)};
  const ShapeFit fit = fit_shape(shape, n, t, 0.0);
  const SerialInterval interval = serial_interval(
      shape, fit, n, t, groups, level, static_cast<double>(n.size() - df_taken) - 2.0);
  result.t1 = std::exp(fit.log_t1);
  result.serial_fraction = fit.s;
  result.se_serial = interval.se;
  result.serial_lo = interval.lo;
  result.serial_hi = interval.hi;
  result.df = interval.df;
  result.rss = fit.rss;
  result.status = fit.s < 0.0 ? Status::kSerialBelowZero : Status::kOk;
  for (const double devices : n) {
    result.fitted.push_back(*result.t1 * height(fit.s, devices));
  }
  return result;
}

}  // namespace scalestudy::stats

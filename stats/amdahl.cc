#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/distributions.h"
#include "stats/regression.h"
#include "stats/scaling_law.h"
#include "stats/scaling_law_check.h"
#include "stats/shape_fit.h"

namespace scalestudy::stats {
namespace {

double share(double s, double n) {
  return s + (1.0 - s) / n;
}

double slope_of_log(double s, double n) {
  return (1.0 - 1.0 / n) / share(s, n);
}

void fill(AmdahlFit& result, double t1, double s, double se, double rss) {
  result.t1 = t1;
  result.serial_fraction = s;
  result.se_serial = se;
  result.rss = rss;
  const double half_width = student_t_critical(result.level, *result.df) * se;
  result.serial_lo = s - half_width;
  result.serial_hi = s + half_width;
  result.status = s < 0.0 ? Status::kSerialBelowZero : Status::kOk;
  if (s > 0.0) {
    result.max_speedup = 1.0 / s;
  }
}

}  // namespace

AmdahlFit amdahl_fit(std::span<const double> n,
                     std::span<const double> t,
                     FitScale scale,
                     double level,
                     std::size_t df_taken) {
  AmdahlFit result;
  result.level = level;
  result.status = check_scaling_points(n, t, 2, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  std::vector<double> reciprocal(n.size());
  std::transform(n.begin(), n.end(), reciprocal.begin(), [](double x) { return 1.0 / x; });
  const LinearFit line = linreg(reciprocal, t, level);
  const double t1 = *line.intercept + *line.slope;
  result.df = static_cast<double>(n.size() - df_taken) - 2.0;
  if (scale == FitScale::kLinear) {
    const double s = *line.intercept / t1;
    // Delta method: ds/dA = B / t1^2, ds/dB = -A / t1^2.
    const double d_a = *line.slope / (t1 * t1);
    const double d_b = -*line.intercept / (t1 * t1);
    const double variance = d_a * d_a * *line.se_intercept * *line.se_intercept +
                            d_b * d_b * *line.se_slope * *line.se_slope +
                            2.0 * d_a * d_b * *line.cov;
    fill(result,
         t1,
         s,
         std::sqrt(std::max(0.0, variance)),
         *line.residual_sd * *line.residual_sd * *result.df);
  } else {
    const double largest = *std::max_element(n.begin(), n.end());
    const ShapeFit fit = fit_shape({.height = share,
                                    .slope_of_log = slope_of_log,
                                    // here the largest N would take no time
                                    .lower = -1.0 / (largest - 1.0)},
                                   n,
                                   t,
                                   *line.intercept / t1);
    fill(result,
         std::exp(fit.log_t1),
         fit.s,
         std::sqrt(fit.rss / *result.df / fit.curvature),
         fit.rss);
  }
  for (const double devices : n) {
    result.fitted.push_back(*result.t1 * share(*result.serial_fraction, devices));
  }
  return result;
}

}  // namespace scalestudy::stats

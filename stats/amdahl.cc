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

double amdahl_slope_of_log(double s, double n) {
  return (1.0 - 1.0 / n) / share(s, n);
}

void fill(AmdahlFit& result, double t1, double s, double rss, const SerialInterval& interval) {
  result.t1 = t1;
  result.serial_fraction = s;
  result.se_serial = interval.se;
  result.df = interval.df;
  result.rss = rss;
  result.serial_lo = interval.lo;
  result.serial_hi = interval.hi;
  result.status = s < 0.0 ? Status::kSerialBelowZero : Status::kOk;
}

}  // namespace

double amdahl_serial(double ratio, double n) {
  return (ratio - 1.0 / n) / (1.0 - 1.0 / n);
}

AmdahlFit amdahl_fit(std::span<const double> n,
                     std::span<const double> t,
                     FitScale scale,
                     double level,
                     std::size_t df_taken,
                     const TrialGroups& groups) {
  AmdahlFit result;
  result.level = level;
  result.status = check_scaling_points(n, t, 2, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  std::vector<double> reciprocal(n.size());
  std::transform(n.begin(), n.end(), reciprocal.begin(), [](double x) { return 1.0 / x; });
  const LinearFit line = linreg(reciprocal, t);
  const double t1 = *line.intercept + *line.slope;
  const double df = static_cast<double>(n.size() - df_taken) - 2.0;
  if (scale == FitScale::kLinear) {
    const double s = *line.intercept / t1;
    // Delta method: ds/dA = B / t1^2, ds/dB = -A / t1^2.
    const double d_a = *line.slope / (t1 * t1);
    const double d_b = -*line.intercept / (t1 * t1);
    const double variance = d_a * d_a * *line.se_intercept * *line.se_intercept +
                            d_b * d_b * *line.se_slope * *line.se_slope +
                            2.0 * d_a * d_b * *line.cov;
    const double se = std::sqrt(std::max(0.0, variance));
    const double half_width = student_t_critical(level, df) * se;
    fill(result,
         t1,
         s,
         *line.residual_sd * *line.residual_sd * df,
         {.se = se, .df = df, .lo = s - half_width, .hi = s + half_width});
  } else {
    const double largest = *std::max_element(n.begin(), n.end());
    const Shape shape{.height = share,
                      .slope_of_log = amdahl_slope_of_log,
                      .s_of = amdahl_serial,
                      // here the largest N would take no time
                      .lower = -1.0 / (largest - 1.0)};
    const ShapeFit fit = fit_shape(shape, n, t, *line.intercept / t1);
    fill(result,
         std::exp(fit.log_t1),
         fit.s,
         fit.rss,
         serial_interval(shape, fit, n, t, groups, level, df));
  }
  for (const double devices : n) {
    result.fitted.push_back(*result.t1 * share(*result.serial_fraction, devices));
  }
  return result;
}

}  // namespace scalestudy::stats

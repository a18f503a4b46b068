#include "stats/reference/two_samples.h"

#include <cmath>

#include "stats/distributions.h"
#include "stats/ratio_interval.h"
#include "stats/summary.h"

namespace scalestudy::stats {

Difference student_t_pooled(std::span<const double> a, std::span<const double> b, double level) {
  Difference result = welch_t(a, b, level);
  if (result.status != Status::kOk) {
    return result;
  }
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double df = n_a + n_b - 2.0;
  const double pooled =
      ((n_a - 1.0) * moments(a).variance + (n_b - 1.0) * moments(b).variance) / df;
  const double se = std::sqrt(pooled * (1.0 / n_a + 1.0 / n_b));
  const double half_width = student_t_critical(level, df) * se;
  result.se = se;
  result.df = df;
  result.t = *result.diff / se;
  result.p = student_t_two_sided_p(*result.t, df);
  result.lo = *result.diff - half_width;
  result.hi = *result.diff + half_width;
  return result;
}

Equivalence tost_log_ratio(std::span<const double> a,
                           std::span<const double> b,
                           double margin,
                           double alpha) {
  return tost_ratio(log_ratio_welch(a, b, 1.0 - alpha), margin, alpha);
}

Equivalence tost_log_ratio_paired(std::span<const double> a,
                                  std::span<const double> b,
                                  double margin,
                                  double alpha) {
  return tost_ratio(log_ratio_paired(a, b, 1.0 - alpha), margin, alpha);
}

Equivalence tost_welch(
    std::span<const double> a, std::span<const double> b, double low, double high, double alpha) {
  Equivalence result;
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) ||
      !(alpha > 0.0 && alpha < 0.5)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  const Difference d = welch_t(a, b, 1.0 - alpha);
  if (d.status != Status::kOk) {
    result.status = d.status;
    return result;
  }
  return two_one_sided({.diff = *d.diff, .se = *d.se, .df = *d.df}, low, high, alpha);
}

}  // namespace scalestudy::stats

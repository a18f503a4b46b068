#include "stats/mean_interval.h"

#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {

MeanInterval mean_ci_t(std::span<const double> x, double level) {
  MeanInterval result;
  result.level = level;
  result.n = x.size();
  if (!all_finite(x) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const Moments m = moments(x);
  if (!std::isfinite(m.mean) || !std::isfinite(m.variance)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.mean = m.mean;
  if (x.size() < 2) {
    return result;
  }
  const auto count = static_cast<double>(x.size());
  result.status = m.is_constant ? Status::kZeroVariance : Status::kOk;
  result.sd = std::sqrt(m.variance);
  result.se = *result.sd / std::sqrt(count);
  result.df = count - 1.0;
  result.t_crit = student_t_critical(level, *result.df);
  const double half_width = *result.t_crit * *result.se;
  result.lo = m.mean - half_width;
  result.hi = m.mean + half_width;
  if (m.mean != 0.0) {
    result.half_width_relative = half_width / std::abs(m.mean);
  }
  return result;
}

}  // namespace scalestudy::stats

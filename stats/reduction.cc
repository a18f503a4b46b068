#include "stats/reduction.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {

Reduction reduction(std::span<const double> base, std::span<const double> changed, double level) {
  Reduction result;
  result.level = level;
  result.n = base.size();
  if (!all_finite(base) || !all_finite(changed) || base.size() != changed.size() ||
      !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (base.size() < 2) {
    return result;
  }
  const Moments of_base = moments(base);
  const Moments of_changed = moments(changed);
  const auto n = static_cast<double>(base.size());
  double products = 0.0;
  for (std::size_t k = 0; k < base.size(); ++k) {
    products += (base[k] - of_base.mean) * (changed[k] - of_changed.mean);
  }
  const double t = student_t_critical(level, n - 1.0);
  // Variances of the means in units of t, and their covariance.
  const double v_base = t * t * of_base.variance / n;
  const double v_changed = t * t * of_changed.variance / n;
  const double covariance = t * t * products / (n - 1.0) / n;
  const double leading = of_base.mean * of_base.mean - v_base;
  if (!(of_base.mean > 0.0 && leading > 0.0)) {
    result.status = Status::kUnresolved;
    return result;
  }
  const double ratio = of_changed.mean / of_base.mean;
  result.share = 1.0 - ratio;
  if (of_base.is_constant && of_changed.is_constant) {
    result.status = Status::kZeroVariance;
    return result;
  }
  // leading rho^2 - 2 middle rho + (mean changed^2 - v_changed) <= 0, with its discriminant
  // expanded so that the squared means cancel on paper and not in rounding.
  const double middle = of_changed.mean * of_base.mean - covariance;
  const double discriminant = of_changed.mean * of_changed.mean * v_base +
                              of_base.mean * of_base.mean * v_changed -
                              2.0 * of_changed.mean * of_base.mean * covariance -
                              (v_base * v_changed - covariance * covariance);
  const double root = std::sqrt(std::max(discriminant, 0.0));
  result.status = Status::kOk;
  result.lo = 1.0 - (middle + root) / leading;
  result.hi = 1.0 - (middle - root) / leading;
  return result;
}

}  // namespace scalestudy::stats

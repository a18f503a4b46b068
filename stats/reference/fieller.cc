#include "stats/reference/fieller.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {

FiellerRatio fieller_ratio(std::span<const double> a, std::span<const double> b, double level) {
  FiellerRatio result;
  result.level = level;
  if (!all_finite(a) || !all_finite(b) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.size() < 2 || b.size() < 2) {
    return result;
  }
  const Moments m_a = moments(a);
  const Moments m_b = moments(b);
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double v_a = m_a.variance / n_a;
  const double v_b = m_b.variance / n_b;
  if (m_b.mean == 0.0) {
    result.status = Status::kDegenerate;
    return result;
  }
  const double r = m_a.mean / m_b.mean;
  result.ratio = r;
  if (!(v_a + v_b > 0.0)) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const double share_a = v_a / (v_a + r * r * v_b);
  const double share_b = 1.0 - share_a;
  const double df = 1.0 / (share_a * share_a / (n_a - 1.0) + share_b * share_b / (n_b - 1.0));
  const double t = student_t_critical(level, df);
  result.df = df;
  result.g = t * t * v_b / (m_b.mean * m_b.mean);
  // (m_b^2 - t^2 v_b) rho^2 - 2 m_a m_b rho + (m_a^2 - t^2 v_a) = 0, with its discriminant expanded
  // so that the squared means cancel on paper and not in rounding.
  const double leading = m_b.mean * m_b.mean - t * t * v_b;
  const double discriminant =
      t * t * (m_a.mean * m_a.mean * v_b + m_b.mean * m_b.mean * v_a - t * t * v_a * v_b);
  if (discriminant < 0.0 || leading == 0.0) {
    result.status = Status::kUnboundedAll;
    return result;
  }
  const double root = std::sqrt(discriminant);
  const double one = (m_a.mean * m_b.mean - root) / leading;
  const double other = (m_a.mean * m_b.mean + root) / leading;
  result.status = leading > 0.0 ? Status::kBounded : Status::kUnboundedComplement;
  result.lo = std::min(one, other);
  result.hi = std::max(one, other);
  return result;
}

}  // namespace scalestudy::stats

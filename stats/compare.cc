#include "stats/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

Difference start_difference(std::span<const double> a, std::span<const double> b, double level) {
  Difference result;
  result.level = level;
  result.n_a = a.size();
  result.n_b = b.size();
  return result;
}

// Fills t, p and the interval from diff, se > 0 and df.
void complete(Difference& result, double se, double df) {
  result.status = Status::kOk;
  result.se = se;
  result.df = df;
  result.t = *result.diff / se;
  result.p = student_t_two_sided_p(*result.t, df);
  const double half_width = student_t_critical(result.level, df) * se;
  result.lo = *result.diff - half_width;
  result.hi = *result.diff + half_width;
}

}  // namespace

Difference welch_t(std::span<const double> a, std::span<const double> b, double level) {
  Difference result = start_difference(a, b, level);
  if (!all_finite(a) || !all_finite(b) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  const Moments m_a = moments(a);
  const Moments m_b = moments(b);
  if (!std::isfinite(m_a.variance) || !std::isfinite(m_b.variance)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.diff = m_a.mean - m_b.mean;
  if (a.size() < 2 || b.size() < 2) {
    return result;
  }
  if (!(m_a.variance > 0.0) && !(m_b.variance > 0.0)) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double v_a = m_a.variance / n_a;
  const double v_b = m_b.variance / n_b;
  // Shares, not squares of variances: those underflow for microsecond noise.
  const double share_a = v_a / (v_a + v_b);
  const double share_b = v_b / (v_a + v_b);
  const double df = 1.0 / (share_a * share_a / (n_a - 1.0) + share_b * share_b / (n_b - 1.0));
  complete(result, std::sqrt(v_a + v_b), df);
  return result;
}

Difference paired_t(std::span<const double> a,
                    std::span<const double> b,
                    double level,
                    double least_scale) {
  Difference result = start_difference(a, b, level);
  if (!all_finite(a) || !all_finite(b) || !is_level(level) || a.size() != b.size()) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty()) {
    return result;
  }
  double scale = least_scale;
  std::vector<double> differences(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    differences[k] = a[k] - b[k];
    scale = std::max({scale, std::abs(a[k]), std::abs(b[k])});
  }
  const Moments m = moments(differences);
  result.diff = m.mean;
  if (!std::isfinite(m.mean) || !std::isfinite(m.variance)) {
    result.diff.reset();
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.size() < 2) {
    return result;
  }
  const auto [least, greatest] = std::minmax_element(differences.begin(), differences.end());
  if (*greatest - *least <= 4.0 * std::numeric_limits<double>::epsilon() * scale) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const auto count = static_cast<double>(a.size());
  complete(result, std::sqrt(m.variance / count), count - 1.0);
  return result;
}

}  // namespace scalestudy::stats

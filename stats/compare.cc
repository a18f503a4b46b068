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

struct TwoSamples {
  Difference result;
  Moments a;
  Moments b;
  bool is_testable = false;
};

// The checks that Welch and Student share; testable when only se and df are missing.
TwoSamples start_two_samples(std::span<const double> a, std::span<const double> b, double level) {
  TwoSamples start;
  start.result = start_difference(a, b, level);
  if (!all_finite(a) || !all_finite(b) || !is_level(level)) {
    start.result.status = Status::kInvalidInput;
    return start;
  }
  if (a.empty() || b.empty()) {
    return start;
  }
  start.a = moments(a);
  start.b = moments(b);
  if (!std::isfinite(start.a.variance) || !std::isfinite(start.b.variance)) {
    start.result.status = Status::kInvalidInput;
    return start;
  }
  start.result.diff = start.a.mean - start.b.mean;
  if (a.size() < 2 || b.size() < 2) {
    return start;
  }
  start.result.status = Status::kZeroVariance;
  start.is_testable = start.a.variance > 0.0 || start.b.variance > 0.0;
  return start;
}

}  // namespace

Difference welch_t(std::span<const double> a, std::span<const double> b, double level) {
  TwoSamples start = start_two_samples(a, b, level);
  if (start.is_testable) {
    const auto n_a = static_cast<double>(a.size());
    const auto n_b = static_cast<double>(b.size());
    const double v_a = start.a.variance / n_a;
    const double v_b = start.b.variance / n_b;
    // Shares, not squares of variances: those underflow for microsecond noise.
    const double share_a = v_a / (v_a + v_b);
    const double share_b = v_b / (v_a + v_b);
    const double df = 1.0 / (share_a * share_a / (n_a - 1.0) + share_b * share_b / (n_b - 1.0));
    complete(start.result, std::sqrt(v_a + v_b), df);
  }
  return start.result;
}

Difference student_t_pooled(std::span<const double> a, std::span<const double> b, double level) {
  TwoSamples start = start_two_samples(a, b, level);
  if (start.is_testable) {
    const auto n_a = static_cast<double>(a.size());
    const auto n_b = static_cast<double>(b.size());
    const double df = n_a + n_b - 2.0;
    const double pooled = ((n_a - 1.0) * start.a.variance + (n_b - 1.0) * start.b.variance) / df;
    complete(start.result, std::sqrt(pooled * (1.0 / n_a + 1.0 / n_b)), df);
  }
  return start.result;
}

Difference paired_t(std::span<const double> a, std::span<const double> b, double level) {
  return paired_t(a, b, level, 0.0);
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

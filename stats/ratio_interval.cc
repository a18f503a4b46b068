#include "stats/ratio_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

Difference invalid_difference(std::span<const double> a, std::span<const double> b, double level) {
  Difference result;
  result.status = Status::kInvalidInput;
  result.level = level;
  result.n_a = a.size();
  result.n_b = b.size();
  return result;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs(values.size());
  std::transform(values.begin(), values.end(), logs.begin(), [](double v) { return std::log(v); });
  return logs;
}

std::optional<double> exponential(std::optional<double> x) {
  return x ? std::optional(std::exp(*x)) : std::nullopt;
}

RatioInterval ratio_of(const Difference& d) {
  return {.status = d.status,
          .level = d.level,
          .n_a = d.n_a,
          .n_b = d.n_b,
          .ratio = exponential(d.diff),
          .se_log = d.se,
          .t = d.t,
          .df = d.df,
          .p = d.p,
          .lo = exponential(d.lo),
          .hi = exponential(d.hi)};
}

}  // namespace

RatioInterval log_ratio_delta(std::span<const double> a, std::span<const double> b, double level) {
  RatioInterval result;
  result.level = level;
  result.n_a = a.size();
  result.n_b = b.size();
  if (!all_positive(a) || !all_positive(b) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  const Moments m_a = moments(a);
  const Moments m_b = moments(b);
  result.ratio = m_a.mean / m_b.mean;
  if (a.size() < 2 || b.size() < 2) {
    return result;
  }
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double cv_a = std::sqrt(m_a.variance) / m_a.mean;
  const double cv_b = std::sqrt(m_b.variance) / m_b.mean;
  const double c_a = cv_a * cv_a / n_a;
  const double c_b = cv_b * cv_b / n_b;
  if (!(c_a + c_b > 0.0)) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const double share_a = c_a / (c_a + c_b);
  const double share_b = c_b / (c_a + c_b);
  const double df = 1.0 / (share_a * share_a / (n_a - 1.0) + share_b * share_b / (n_b - 1.0));
  const double se_log = std::sqrt(c_a + c_b);
  const double spread = std::exp(student_t_critical(level, df) * se_log);
  result.status = Status::kOk;
  result.se_log = se_log;
  result.df = df;
  result.t = std::log(*result.ratio) / se_log;
  result.p = student_t_two_sided_p(*result.t, df);
  result.lo = *result.ratio / spread;
  result.hi = *result.ratio * spread;
  return result;
}

Difference log_difference_welch(std::span<const double> a,
                                std::span<const double> b,
                                double level) {
  if (!all_positive(a) || !all_positive(b)) {
    return invalid_difference(a, b, level);
  }
  return welch_t(logarithms(a), logarithms(b), level);
}

Difference log_difference_paired(std::span<const double> a,
                                 std::span<const double> b,
                                 double level) {
  if (!all_positive(a) || !all_positive(b)) {
    return invalid_difference(a, b, level);
  }
  // A time is known to epsilon relative, so its logarithm to epsilon absolute.
  return paired_t(logarithms(a), logarithms(b), level, 1.0);
}

RatioInterval log_ratio_welch(std::span<const double> a, std::span<const double> b, double level) {
  return ratio_of(log_difference_welch(a, b, level));
}

RatioInterval log_ratio_paired(std::span<const double> a, std::span<const double> b, double level) {
  return ratio_of(log_difference_paired(a, b, level));
}

}  // namespace scalestudy::stats

#include "stats/ratio_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/check.h"
#include "stats/compare.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

RatioInterval invalid_ratio(std::span<const double> a, std::span<const double> b, double level) {
  RatioInterval result;
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

struct TwoMeans {
  RatioInterval result;
  Moments a;
  Moments b;
  bool is_testable = false;
};

// The checks that ratios of means share; testable when only se and df are missing.
TwoMeans start_two_means(std::span<const double> a, std::span<const double> b, double level) {
  TwoMeans start;
  start.result.level = level;
  start.result.n_a = a.size();
  start.result.n_b = b.size();
  if (!all_positive(a) || !all_positive(b) || !is_level(level)) {
    start.result.status = Status::kInvalidInput;
    return start;
  }
  if (a.empty() || b.empty()) {
    return start;
  }
  start.a = moments(a);
  start.b = moments(b);
  start.result.ratio = start.a.mean / start.b.mean;
  start.is_testable = a.size() >= 2 && b.size() >= 2;
  return start;
}

}  // namespace

void complete_ratio(RatioInterval& result, double se_log, double df) {
  if (!(se_log > 0.0)) {
    result.status = Status::kZeroVariance;
    return;
  }
  const double spread = std::exp(student_t_critical(result.level, df) * se_log);
  result.status = Status::kOk;
  result.se_log = se_log;
  result.df = df;
  result.t = std::log(*result.ratio) / se_log;
  result.p = student_t_two_sided_p(*result.t, df);
  result.lo = *result.ratio / spread;
  result.hi = *result.ratio * spread;
}

RatioInterval log_ratio_delta(std::span<const double> a, std::span<const double> b, double level) {
  TwoMeans start = start_two_means(a, b, level);
  if (!start.is_testable) {
    return start.result;
  }
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double cv_a = std::sqrt(start.a.variance) / start.a.mean;
  const double cv_b = std::sqrt(start.b.variance) / start.b.mean;
  const double c_a = cv_a * cv_a / n_a;
  const double c_b = cv_b * cv_b / n_b;
  const double share_a = c_a / (c_a + c_b);
  const double share_b = c_b / (c_a + c_b);
  const double df = 1.0 / (share_a * share_a / (n_a - 1.0) + share_b * share_b / (n_b - 1.0));
  complete_ratio(start.result, std::sqrt(c_a + c_b), df);
  return start.result;
}

RatioInterval log_ratio_delta_paired(std::span<const double> a,
                                     std::span<const double> b,
                                     double level) {
  TwoMeans start = start_two_means(a, b, level);
  if (a.size() != b.size()) {
    start.result.status = Status::kInvalidInput;
    start.result.ratio.reset();
    return start.result;
  }
  if (!start.is_testable) {
    return start.result;
  }
  std::vector<double> differences(a.size());
  double scale = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double relative_a = a[k] / start.a.mean;
    const double relative_b = b[k] / start.b.mean;
    differences[k] = relative_a - relative_b;
    scale = std::max({scale, relative_a, relative_b});
  }
  const auto [least, greatest] = std::minmax_element(differences.begin(), differences.end());
  if (*greatest - *least <= 4.0 * std::numeric_limits<double>::epsilon() * scale) {
    start.result.status = Status::kZeroVariance;
    return start.result;
  }
  const auto count = static_cast<double>(a.size());
  complete_ratio(start.result, std::sqrt(moments(differences).variance / count), count - 1.0);
  return start.result;
}

RatioInterval log_ratio_welch(std::span<const double> a, std::span<const double> b, double level) {
  if (!all_positive(a) || !all_positive(b)) {
    return invalid_ratio(a, b, level);
  }
  return ratio_of(welch_t(logarithms(a), logarithms(b), level));
}

RatioInterval log_ratio_paired(std::span<const double> a, std::span<const double> b, double level) {
  if (!all_positive(a) || !all_positive(b)) {
    return invalid_ratio(a, b, level);
  }
  // A time is known to epsilon relative, so its logarithm to epsilon absolute.
  return ratio_of(paired_t(logarithms(a), logarithms(b), level, 1.0));
}

}  // namespace scalestudy::stats

#include "stats/equivalence.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/compare.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

Equivalence invalid_equivalence() {
  Equivalence result;
  result.status = Status::kInvalidInput;
  return result;
}

bool is_alpha(double alpha) {
  return alpha > 0.0 && alpha < 0.5;
}

struct Tested {
  double diff = 0.0;
  double se = 0.0;
  double df = 0.0;
};

// Both one-sided tests, and the 1 - 2 alpha interval.
Equivalence two_one_sided(const Tested& d, double low, double high, double alpha) {
  Equivalence result;
  result.status = Status::kOk;
  result.t_lower = (d.diff - low) / d.se;
  result.t_upper = (d.diff - high) / d.se;
  result.p_lower = student_t_upper_tail(*result.t_lower, d.df);
  result.p_upper = student_t_upper_tail(-*result.t_upper, d.df);
  result.df = d.df;
  result.p = std::max(*result.p_lower, *result.p_upper);
  const double half_width = student_t_critical(1.0 - 2.0 * alpha, d.df) * d.se;
  result.lo = d.diff - half_width;
  result.hi = d.diff + half_width;
  result.equivalent = *result.p < alpha;
  return result;
}

}  // namespace

Equivalence tost_ratio(const RatioInterval& ratio, double margin, double alpha) {
  if (!is_positive(margin) || !is_alpha(alpha)) {
    return invalid_equivalence();
  }
  if (ratio.status != Status::kOk) {
    Equivalence result;
    result.status = ratio.status;
    return result;
  }
  const double bound = std::log1p(margin);
  Equivalence result = two_one_sided(
      {.diff = std::log(*ratio.ratio), .se = *ratio.se_log, .df = *ratio.df}, -bound, bound, alpha);
  result.lo = std::exp(*result.lo);
  result.hi = std::exp(*result.hi);
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
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !is_alpha(alpha)) {
    return invalid_equivalence();
  }
  const Difference d = welch_t(a, b, 1.0 - alpha);
  if (d.status != Status::kOk) {
    Equivalence result;
    result.status = d.status;
    return result;
  }
  return two_one_sided({.diff = *d.diff, .se = *d.se, .df = *d.df}, low, high, alpha);
}

}  // namespace scalestudy::stats

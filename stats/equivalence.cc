#include "stats/equivalence.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/ratio_interval.h"

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

// Both one-sided tests, from the difference at level 1 - 2 alpha.
Equivalence two_one_sided(const Difference& d, double low, double high, double alpha) {
  Equivalence result;
  result.status = d.status;
  if (d.status != Status::kOk) {
    return result;
  }
  result.t_lower = (*d.diff - low) / *d.se;
  result.t_upper = (*d.diff - high) / *d.se;
  result.p_lower = student_t_upper_tail(*result.t_lower, *d.df);
  result.p_upper = student_t_upper_tail(-*result.t_upper, *d.df);
  result.df = d.df;
  result.p = std::max(*result.p_lower, *result.p_upper);
  result.lo = d.lo;
  result.hi = d.hi;
  result.equivalent = *result.p < alpha;
  return result;
}

using LogDifference = Difference (*)(std::span<const double>, std::span<const double>, double);

Equivalence tost_on_logs(LogDifference difference,
                         std::span<const double> a,
                         std::span<const double> b,
                         double margin,
                         double alpha) {
  if (!is_positive(margin) || !is_alpha(alpha)) {
    return invalid_equivalence();
  }
  const double bound = std::log1p(margin);
  Equivalence result = two_one_sided(difference(a, b, 1.0 - 2.0 * alpha), -bound, bound, alpha);
  if (result.lo) {
    result.lo = std::exp(*result.lo);
    result.hi = std::exp(*result.hi);
  }
  return result;
}

}  // namespace

Equivalence tost_log_ratio(std::span<const double> a,
                           std::span<const double> b,
                           double margin,
                           double alpha) {
  return tost_on_logs(log_difference_welch, a, b, margin, alpha);
}

Equivalence tost_log_ratio_paired(std::span<const double> a,
                                  std::span<const double> b,
                                  double margin,
                                  double alpha) {
  return tost_on_logs(log_difference_paired, a, b, margin, alpha);
}

Equivalence tost_welch(
    std::span<const double> a, std::span<const double> b, double low, double high, double alpha) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !is_alpha(alpha)) {
    return invalid_equivalence();
  }
  return two_one_sided(welch_t(a, b, 1.0 - 2.0 * alpha), low, high, alpha);
}

}  // namespace scalestudy::stats

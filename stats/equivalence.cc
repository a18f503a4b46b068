#include "stats/equivalence.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

bool is_alpha(double alpha) {
  return alpha > 0.0 && alpha < 0.5;
}

}  // namespace

Equivalence two_one_sided(const TestedDifference& d, double low, double high, double alpha) {
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
  return result;
}

Equivalence tost_ratio(const RatioInterval& ratio, double margin, double alpha) {
  if (!is_positive(margin) || !is_alpha(alpha)) {
    Equivalence result;
    result.status = Status::kInvalidInput;
    return result;
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

}  // namespace scalestudy::stats

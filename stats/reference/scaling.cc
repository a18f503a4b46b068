#include "stats/reference/scaling.h"

#include "stats/check.h"

namespace scalestudy::stats {

ScalingSummary scaling_from_ratio(ScalingMode mode,
                                  const RatioInterval& ratio,
                                  double n_base,
                                  double n) {
  ScalingSummary result;
  result.status = ratio.status;
  if (!is_positive(n_base) || !is_positive(n)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  const Estimate rho{.value = ratio.ratio, .lo = ratio.lo, .hi = ratio.hi};
  const double k = n / n_base;
  result.speedup = mode == ScalingMode::kStrong ? rho : scale_estimate(rho, k);
  result.efficiency = mode == ScalingMode::kStrong ? scale_estimate(rho, 1.0 / k) : rho;
  result.overhead = complement_estimate(result.efficiency);
  result.cost_ratio = invert_estimate(result.efficiency, 1.0);
  result.df = ratio.df;
  result.superlinear = result.efficiency.value && *result.efficiency.value > 1.0;
  return result;
}

ScalingSummary scaling_summary(ScalingMode mode,
                               std::span<const double> t_base,
                               double n_base,
                               std::span<const double> t_n,
                               double n,
                               double level) {
  return scaling_from_ratio(mode, log_ratio_delta(t_base, t_n, level), n_base, n);
}

}  // namespace scalestudy::stats

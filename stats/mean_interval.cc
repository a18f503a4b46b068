#include "stats/mean_interval.h"

#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {

namespace {

// Interval from n, mean, spread and df > 0.
void complete(MeanInterval& result, double variance, double df) {
  result.sd = std::sqrt(variance);
  result.se = *result.sd / std::sqrt(static_cast<double>(result.n));
  result.df = df;
  result.t_crit = student_t_critical(result.level, df);
  const double half_width = *result.t_crit * *result.se;
  result.lo = *result.mean - half_width;
  result.hi = *result.mean + half_width;
  if (*result.mean != 0.0) {
    result.half_width_relative = half_width / std::abs(*result.mean);
  }
}

}  // namespace

MeanInterval mean_ci_t(std::span<const double> x, double level) {
  MeanInterval result;
  result.level = level;
  result.n = x.size();
  if (!all_finite(x) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const Moments m = moments(x);
  if (!std::isfinite(m.mean) || !std::isfinite(m.variance)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.mean = m.mean;
  if (x.size() >= 2) {
    result.status = m.is_constant ? Status::kZeroVariance : Status::kOk;
    complete(result, m.variance, static_cast<double>(x.size() - 1));
  }
  return result;
}

MeanInterval mean_ci_t_within(std::span<const std::vector<double>> strata, double level) {
  std::vector<double> all;
  double squares = 0.0;
  bool is_constant = true;
  for (const std::vector<double>& stratum : strata) {
    const Moments m = moments(stratum);
    squares += m.variance * static_cast<double>(stratum.size() - 1);
    is_constant = is_constant && m.is_constant;
    all.insert(all.end(), stratum.begin(), stratum.end());
  }
  MeanInterval result = mean_ci_t(all, level);
  if (result.status == Status::kInvalidInput || strata.size() < 2) {
    return result;
  }
  MeanInterval within;
  within.level = level;
  within.n = result.n;
  within.mean = result.mean;
  if (all.size() > strata.size()) {
    const auto df = static_cast<double>(all.size() - strata.size());
    within.status = is_constant ? Status::kZeroVariance : Status::kOk;
    complete(within, squares / df, df);
  }
  return within;
}

}  // namespace scalestudy::stats

#include "stats/reference/adaptive.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/mean_interval.h"
#include "stats/summary.h"

namespace scalestudy::stats {

Stopping stopping_rule(std::span<const double> trials, const StoppingPlan& plan) {
  if (!all_finite(trials)) {
    Stopping result;
    result.status = Status::kInvalidInput;
    return result;
  }
  return stopping_rule(
      trials.size(),
      [&](std::size_t count) { return mean_ci_t(trials.first(count), plan.level); },
      plan);
}

TwoStagePlan two_stage_plan(std::span<const double> pilot,
                            double rel_half_width,
                            double level,
                            std::size_t t_max) {
  TwoStagePlan result;
  if (!all_positive(pilot) || !is_positive(rel_half_width) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (pilot.size() < 2) {
    return result;
  }
  const Moments m = moments(pilot);
  const double t = student_t_critical(level, static_cast<double>(pilot.size()) - 1.0);
  const double root = t * std::sqrt(m.variance) / (rel_half_width * m.mean);
  const double wanted = std::ceil(root * root);
  constexpr double most = 1e9;
  if (!(wanted <= most)) {
    result.status = Status::kUnattainable;
    return result;
  }
  result.status = m.is_constant ? Status::kZeroVariance : Status::kOk;
  result.unlimited_total = std::max(pilot.size(), static_cast<std::size_t>(wanted));
  result.total_trials = std::min(*result.unlimited_total, t_max);
  return result;
}

}  // namespace scalestudy::stats

#include "stats/stopping.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/least_count.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

bool is_valid(const StoppingPlan& plan) {
  return is_positive(plan.rel_half_width) && is_level(plan.level) && plan.t_min >= 2 &&
         plan.t_max >= plan.t_min;
}

bool is_look(std::size_t count, Looks looks) {
  constexpr std::size_t dense_until = 20;
  return looks == Looks::kEvery || count % (count <= dense_until ? 5 : 10) == 0;
}

}  // namespace

Stopping stopping_rule(std::size_t trials,
                       const std::function<MeanInterval(std::size_t count)>& interval_of,
                       const StoppingPlan& plan) {
  Stopping result;
  if (!is_valid(plan)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  const std::size_t last = std::min(trials, plan.t_max);
  for (std::size_t count = plan.t_min; count <= last && !result.target_met_at; ++count) {
    if (!is_look(count, plan.looks)) {
      continue;
    }
    const MeanInterval look = interval_of(count);
    if (look.half_width_relative && *look.half_width_relative <= plan.rel_half_width) {
      result.target_met_at = count;
    }
  }
  const std::size_t planned =
      result.target_met_at ? std::min(*result.target_met_at + plan.extra, plan.t_max) : plan.t_max;
  if (trials >= planned) {
    result.stop_at = planned;
    result.reason = result.target_met_at ? StopReason::kPrecision : StopReason::kBudget;
  }
  const MeanInterval reached = interval_of(std::min(last, planned));
  result.status = reached.status;
  result.mean = reached.mean;
  result.rel_half_width = reached.half_width_relative;
  return result;
}

SampleSize sample_size_ci(double cv, double rel_half_width, double level) {
  SampleSize result;
  if (!is_positive(cv) || !is_positive(rel_half_width) || !is_level(level)) {
    return result;
  }
  const auto half_width = [&](std::size_t n) {
    const auto count = static_cast<double>(n);
    return student_t_critical(level, count - 1.0) * cv / std::sqrt(count);
  };
  constexpr std::size_t most = 1'000'000'000;
  result.n = least_count(most, [&](std::size_t n) { return half_width(n) <= rel_half_width; });
  result.status = result.n ? Status::kOk : Status::kUnattainable;
  if (result.n) {
    result.half_width = half_width(*result.n);
  }
  return result;
}

PilotSampleSize sample_size_from_pilot(std::span<const double> pilot,
                                       double rel_half_width,
                                       double level,
                                       std::optional<double> df) {
  PilotSampleSize result;
  if (!all_positive(pilot) || !is_positive(rel_half_width) || !is_level(level) ||
      (df && !is_positive(*df))) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (pilot.size() < 2) {
    return result;
  }
  const Moments m = moments(pilot);
  if (m.is_constant) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const double freedom = df.value_or(static_cast<double>(pilot.size()) - 1.0);
  const double cv = std::sqrt(m.variance) / m.mean;
  const auto trials_at = [&](double p) {
    const double bound = cv * std::sqrt(freedom / chi_squared_quantile(p, freedom));
    return sample_size_ci(bound, rel_half_width, level).n;
  };
  const SampleSize size = sample_size_ci(cv, rel_half_width, level);
  result.status = size.status;
  result.cv = cv;
  result.n = size.n;
  result.n_lo = trials_at(0.5 * (1.0 + level));
  result.n_hi = trials_at(0.5 * (1.0 - level));
  return result;
}

}  // namespace scalestudy::stats

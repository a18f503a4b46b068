#include "stats/planning.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

bool have_equal_steps(std::span<const std::vector<double>> groups) {
  return std::all_of(groups.begin(), groups.end(), [&](const std::vector<double>& steps) {
    return steps.size() == groups.front().size() && !steps.empty() && all_finite(steps);
  });
}

// The least x at which `excess`, which rises, is 0 or more, to `precision` of it and never below;
// by regula falsi (Illinois), as a noncentral t is slow.
// - too_little, enough: where `excess` is below 0, and where it is not.
template <typename Function>
double least_enough(const Function& excess, double too_little, double enough, double precision) {
  double missing = excess(too_little);
  double more = excess(enough);
  int side = 0;  // on which of them the last point fell
  while (enough - too_little > precision * enough) {
    double point = enough - more * (enough - too_little) / (more - missing);
    if (!(point > too_little && point < enough)) {
      point = 0.5 * (too_little + enough);
    }
    if (const double found = excess(point); found >= 0.0) {
      enough = point;
      more = found;
      missing *= side > 0 ? 0.5 : 1.0;
      side = 1;
    } else {
      too_little = point;
      missing = found;
      more *= side < 0 ? 0.5 : 1.0;
      side = -1;
    }
  }
  return enough;
}

}  // namespace

std::optional<double> power_t_two_sample(double n, double delta, double sd, double alpha) {
  if (!(n >= 2.0) || !std::isfinite(n) || !std::isfinite(delta) || !is_positive(sd) ||
      !is_level(alpha)) {
    return std::nullopt;
  }
  const double df = 2.0 * n - 2.0;
  const double effect = std::sqrt(n / 2.0) * std::abs(delta) / sd;
  const double t = student_t_critical(1.0 - alpha, df);
  return noncentral_t_upper_tail(t, df, effect) + noncentral_t_lower_tail(-t, df, effect);
}

std::optional<double> detectable_effect(double df, double alpha, double power) {
  if (!(df > 0.0) || !std::isfinite(df) || !is_level(alpha) || !is_level(power) ||
      !(power > alpha)) {
    return std::nullopt;
  }
  const double t = student_t_critical(1.0 - alpha, df);
  const auto excess = [&](double effect) {
    return noncentral_t_upper_tail(t, df, effect) + noncentral_t_lower_tail(-t, df, effect) - power;
  };
  constexpr double most = 1e9;
  double enough = 1.0;
  while (!(excess(enough) >= 0.0)) {
    enough *= 2.0;
    if (enough > most) {
      return std::nullopt;
    }
  }
  return least_enough(excess, 0.0, enough, 1e-9);
}

TwoSampleSize sample_size_two_sample(double cv, double rel_diff, double alpha, double power) {
  TwoSampleSize result;
  if (!is_positive(cv) || !(rel_diff > -1.0) || rel_diff == 0.0 || !std::isfinite(rel_diff) ||
      !is_level(alpha) || !is_level(power)) {
    return result;
  }
  const auto power_at = [&](std::size_t n) {
    return *power_t_two_sample(static_cast<double>(n), std::log1p(rel_diff), cv, alpha);
  };
  constexpr std::size_t most = 1'000'000;
  std::size_t enough = 2;
  while (enough < most && !(power_at(enough) >= power)) {
    enough *= 2;
  }
  if (enough >= most) {
    result.status = Status::kUnattainable;
    return result;
  }
  std::size_t too_few = enough / 2;  // 1 when 2 already suffice
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (power_at(middle) >= power ? enough : too_few) = middle;
  }
  result.status = Status::kOk;
  result.n_per_group = enough;
  result.power_at_n = power_at(enough);
  if (enough > 2) {
    result.power_at_n_minus_1 = power_at(enough - 1);
  }
  return result;
}

std::optional<std::size_t> sample_size_one_sample(double effect, double alpha, double power) {
  if (!is_positive(effect) || !std::isfinite(effect) || !is_level(alpha) || !is_level(power)) {
    return std::nullopt;
  }
  const auto is_enough = [&](std::size_t count) {
    const auto n = static_cast<double>(count);
    const double t = student_t_critical(1.0 - alpha, n - 1.0);
    const double ncp = effect * std::sqrt(n);
    return noncentral_t_upper_tail(t, n - 1.0, ncp) + noncentral_t_lower_tail(-t, n - 1.0, ncp) >=
           power;
  };
  constexpr std::size_t most = 1'000'000;
  std::size_t enough = 2;
  while (!is_enough(enough)) {
    enough *= 2;
    if (enough > most) {
      return std::nullopt;
    }
  }
  std::size_t too_few = enough / 2;  // 1 when 2 already suffice
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (is_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

DetectableRatio detectable_ratio(std::size_t n, double cv, double alpha, double power) {
  DetectableRatio result;
  if (!is_positive(cv) || !is_level(alpha) || !is_level(power)) {
    return result;
  }
  if (n < 2) {
    result.status = Status::kInsufficientData;
    return result;
  }
  const auto excess = [&](double delta) {
    return *power_t_two_sample(static_cast<double>(n), delta, cv, alpha) - power;
  };
  const double most = std::log(1e6);
  result.status = Status::kUnattainable;
  if (!(power > alpha)) {
    return result;
  }
  // From the noise upwards: a noncentral t far out in its tail is slow and inexact.
  double enough = std::min(cv, most);
  while (enough < most && !(excess(enough) >= 0.0)) {
    enough = std::min(2.0 * enough, most);
  }
  if (!(excess(enough) >= 0.0)) {
    return result;
  }
  result.status = Status::kOk;
  result.rel_diff = std::expm1(least_enough(excess, 0.0, enough, 1e-12));
  return result;
}

OptimalSteps kalibera_optimal(std::span<const std::vector<double>> groups,
                              double cost_trial_s,
                              double cost_step_s) {
  OptimalSteps result;
  if (!have_equal_steps(groups) || !is_positive(cost_trial_s) || !is_positive(cost_step_s)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (groups.size() < 2 || groups.front().size() < 2) {
    return result;
  }
  std::vector<double> means;
  std::vector<double> variances;
  for (const std::vector<double>& steps : groups) {
    const Moments m = moments(steps);
    means.push_back(m.mean);
    variances.push_back(m.variance);
  }
  const auto trials = static_cast<double>(groups.size());
  const double within = moments(variances).mean;
  const double of_means = moments(means).variance;
  const double between = of_means - within / static_cast<double>(groups.front().size());
  result.s1_sq = within;
  result.s2_sq = of_means;
  result.t1_sq = within;
  result.t2_sq = between;
  result.half_width_95 = student_t_critical(0.95, trials - 1.0) * std::sqrt(of_means / trials);
  if (!(between > 0.0)) {
    result.status = Status::kNegativeComponent;
    return result;
  }
  result.status = Status::kOk;
  result.optimal_steps_real = std::sqrt(cost_trial_s / cost_step_s * within / between);
  result.optimal_steps =
      static_cast<std::size_t>(std::max(1.0, std::ceil(*result.optimal_steps_real)));
  return result;
}

}  // namespace scalestudy::stats

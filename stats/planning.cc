#include "stats/planning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/least_count.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

constexpr std::size_t kMostTrials = 1'000'000;

bool have_equal_steps(std::span<const std::vector<double>> groups) {
  return std::all_of(groups.begin(), groups.end(), [&](const std::vector<double>& steps) {
    return steps.size() == groups.front().size() && !steps.empty() && all_finite(steps);
  });
}

struct Point {
  double x = 0.0;
  double excess = 0.0;
};

// The least x at which `excess`, which rises, is 0 or more, to 1e-10 of it and never below; by
// regula falsi (Illinois), as a noncentral t is slow.
// - too_little, enough: where `excess` is below 0, and where it is not.
template <typename Function>
double least_enough(const Function& excess, Point too_little, Point enough) {
  constexpr double precision = 1e-10;
  int side = 0;  // on which of them the last point fell
  while (enough.x - too_little.x > precision * enough.x) {
    Point point{.x = enough.x - enough.excess * (enough.x - too_little.x) /
                                    (enough.excess - too_little.excess)};
    if (!(point.x > too_little.x && point.x < enough.x)) {
      point.x = 0.5 * (too_little.x + enough.x);
    }
    point.excess = excess(point.x);
    if (point.excess >= 0.0) {
      enough = point;
      too_little.excess *= side > 0 ? 0.5 : 1.0;
      side = 1;
    } else {
      too_little = point;
      enough.excess *= side < 0 ? 0.5 : 1.0;
      side = -1;
    }
  }
  return enough.x;
}

// What detectable_effect() is, to 2 % of it from one degree of freedom on for a power of 0.8: the
// test rejects if t S - Z is below the effect, where S is a chi over sqrt(df), and that is nearly
// normal. Not finite or below 0 far from there.
double approximate_effect(double t, double df, double power) {
  const double mean = 1.0 - 1.0 / (4.0 * df) + 1.0 / (32.0 * df * df);  // of S
  return t * mean + normal_quantile(power) * std::sqrt(t * t * (1.0 - mean * mean) + 1.0);
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
    constexpr double one_sided = 7.0;  // the other tail is below 2e-12
    return noncentral_t_upper_tail(t, df, effect) - power +
           (effect < one_sided ? noncentral_t_lower_tail(-t, df, effect) : 0.0);
  };
  // No further out than it must be: there a noncentral t is slow and inexact.
  constexpr double most = 1e9;
  const double near = approximate_effect(t, df, power);
  const double start = near > 0.0 && near < most ? near : 1.0;
  Point too_little{.x = 0.97 * start, .excess = excess(0.97 * start)};
  Point enough{.x = 1.03 * start, .excess = excess(1.03 * start)};
  if (too_little.excess >= 0.0) {
    enough = std::exchange(too_little, {.x = 0.0, .excess = alpha - power});
  }
  while (!(enough.excess >= 0.0)) {
    too_little = enough;
    enough = {.x = 2.0 * enough.x, .excess = excess(2.0 * enough.x)};
    if (enough.x > most) {
      return std::nullopt;
    }
  }
  return least_enough(excess, too_little, enough);
}

TwoSampleSize sample_size_two_sample(double cv, double rel_diff, double alpha, double power) {
  TwoSampleSize result;
  if (!is_positive(cv) || !(rel_diff > -1.0) || rel_diff == 0.0 || !std::isfinite(rel_diff) ||
      !is_level(alpha) || !is_level(power)) {
    return result;
  }
  result.n_per_group = least_count(kMostTrials, [&](std::size_t n) {
    return *power_t_two_sample(static_cast<double>(n), std::log1p(rel_diff), cv, alpha) >= power;
  });
  result.status = result.n_per_group ? Status::kOk : Status::kUnattainable;
  return result;
}

std::optional<std::size_t> sample_size_one_sample(double effect, double alpha, double power) {
  if (!is_positive(effect) || !std::isfinite(effect) || !is_level(alpha) || !is_level(power)) {
    return std::nullopt;
  }
  return least_count(kMostTrials, [&](std::size_t count) {
    const auto n = static_cast<double>(count);
    const double t = student_t_critical(1.0 - alpha, n - 1.0);
    const double ncp = effect * std::sqrt(n);
    return noncentral_t_upper_tail(t, n - 1.0, ncp) + noncentral_t_lower_tail(-t, n - 1.0, ncp) >=
           power;
  });
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
  const auto trials = static_cast<double>(n);
  const std::optional<double> effect = detectable_effect(2.0 * trials - 2.0, alpha, power);
  const double most = std::log(1e6);
  const double delta = effect ? *effect * cv * std::sqrt(2.0 / trials) : most;
  result.status = Status::kUnattainable;
  if (delta < most) {
    result.status = Status::kOk;
    result.rel_diff = std::expm1(delta);
  }
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
  const double within = moments(variances).mean;
  const double between =
      moments(means).variance - within / static_cast<double>(groups.front().size());
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

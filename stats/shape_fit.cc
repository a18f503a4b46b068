#include "stats/shape_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "stats/distributions.h"
#include "stats/sum.h"

namespace scalestudy::stats {
namespace {

// The problem at one s, with ln t1 at its optimum for that s.
struct Profile {
  ShapeFit fit;
  double step = 0.0;  // Gauss-Newton step of s
};

Profile profile_at(const Shape& shape,
                   std::span<const double> n,
                   std::span<const double> t,
                   double s) {
  const auto sum = [&](const auto& term) { return pairwise_sum(0, n.size(), term); };
  const auto count = static_cast<double>(n.size());
  std::vector<double> residuals(n.size());
  std::vector<double> slopes(n.size());
  for (std::size_t i = 0; i < n.size(); ++i) {
    residuals[i] = std::log(t[i]) - std::log(shape.height(s, n[i]));
    slopes[i] = shape.slope_of_log(s, n[i]);
  }
  const double log_t1 = sum([&](std::size_t i) { return residuals[i]; }) / count;
  const double mean_slope = sum([&](std::size_t i) { return slopes[i]; }) / count;
  Profile profile;
  profile.fit = {.s = s, .log_t1 = log_t1};
  profile.fit.rss = sum([&](std::size_t i) {
    const double left = residuals[i] - log_t1;
    return left * left;
  });
  profile.fit.curvature =
      sum([&](std::size_t i) { return (slopes[i] - mean_slope) * (slopes[i] - mean_slope); });
  const double product =
      sum([&](std::size_t i) { return (slopes[i] - mean_slope) * (residuals[i] - log_t1); });
  profile.step = product / profile.fit.curvature;
  return profile;
}

}  // namespace

ShapeFit fit_shape(const Shape& shape,
                   std::span<const double> n,
                   std::span<const double> t,
                   double start) {
  const auto is_inside = [&](double s) { return s > shape.lower && s < shape.upper; };
  Profile here = profile_at(shape, n, t, is_inside(start) ? start : 0.0);
  constexpr int most_steps = 200;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const double s = here.fit.s;
    double step = here.step;
    if (!std::isfinite(step)) {
      break;  // halves of it never come to an end
    }
    std::optional<Profile> better;
    for (; s + step != s && !better; step /= 2.0) {
      if (is_inside(s + step)) {
        const Profile there = profile_at(shape, n, t, s + step);
        if (!(there.fit.rss > here.fit.rss)) {
          better = there;
        }
      }
    }
    if (!better) {
      break;
    }
    here = *better;
    if (std::abs(here.fit.s - s) <= 1e-14 * std::max(std::abs(here.fit.s), 1e-3)) {
      break;
    }
  }
  return here.fit;
}

SerialInterval serial_interval(const Shape& shape,
                               const ShapeFit& fit,
                               std::span<const double> n,
                               std::span<const double> t,
                               const TrialGroups& groups,
                               double level,
                               double df) {
  const auto slope = [&](std::size_t i) { return shape.slope_of_log(fit.s, n[i]); };
  const double mean_slope = pairwise_sum(0, n.size(), slope) / static_cast<double>(n.size());
  std::optional<RobustError> robust;
  if (!groups.cells.empty()) {
    std::vector<double> influence;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < n.size(); ++i) {
      influence.push_back((slope(i) - mean_slope) / fit.curvature);
      residuals.push_back(std::log(t[i]) - fit.log_t1 - std::log(shape.height(fit.s, n[i])));
    }
    robust = robust_error(influence, residuals, groups);
  }
  if (!robust) {
    const double se = std::sqrt(fit.rss / df / fit.curvature);
    const double half_width = student_t_critical(level, df) * se;
    return {.se = se, .df = df, .lo = fit.s - half_width, .hi = fit.s + half_width};
  }
  const double largest = *std::max_element(n.begin(), n.end());
  const double height = std::log(shape.height(fit.s, largest));
  const double half_width =
      student_t_critical(level, robust->df) * robust->se * shape.slope_of_log(fit.s, largest);
  return {.se = robust->se,
          .df = robust->df,
          .lo = shape.s_of(std::exp(height - half_width), largest),
          .hi = shape.s_of(std::exp(height + half_width), largest)};
}

}  // namespace scalestudy::stats

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/distributions.h"
#include "stats/regression.h"
#include "stats/scaling_law.h"
#include "stats/scaling_law_check.h"
#include "stats/sum.h"

namespace scalestudy::stats {
namespace {

double share(double s, double n) {
  return s + (1.0 - s) / n;
}

// Sums of the log-scale problem at a serial fraction s, with ln t1 at its optimum for that s.
struct Profile {
  double log_t1 = 0.0;
  double rss = 0.0;
  double step = 0.0;       // Gauss-Newton step of s
  double curvature = 0.0;  // centred sum of squared derivatives
};

Profile profile_at(std::span<const double> n, std::span<const double> t, double s) {
  const auto sum = [&](const auto& term) { return pairwise_sum(0, n.size(), term); };
  const auto count = static_cast<double>(n.size());
  const auto residual = [&](std::size_t i) { return std::log(t[i]) - std::log(share(s, n[i])); };
  const auto slope = [&](std::size_t i) { return (1.0 - 1.0 / n[i]) / share(s, n[i]); };
  Profile profile;
  profile.log_t1 = sum(residual) / count;
  const double mean_slope = sum(slope) / count;
  profile.rss = sum([&](std::size_t i) {
    const double left = residual(i) - profile.log_t1;
    return left * left;
  });
  profile.curvature =
      sum([&](std::size_t i) { return (slope(i) - mean_slope) * (slope(i) - mean_slope); });
  const double product =
      sum([&](std::size_t i) { return (slope(i) - mean_slope) * (residual(i) - profile.log_t1); });
  profile.step = product / profile.curvature;
  return profile;
}

// Serial fraction of the least log-scale rss: Gauss-Newton, halving steps that leave the domain
// (a time must stay positive) or do not descend.
double log_scale_serial_fraction(std::span<const double> n,
                                 std::span<const double> t,
                                 double start) {
  const double largest = *std::max_element(n.begin(), n.end());
  const double lower = -1.0 / (largest - 1.0);  // here the largest N would take no time
  double s = start > lower ? start : 0.0;
  constexpr int most_steps = 200;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const Profile here = profile_at(n, t, s);
    double step = here.step;
    if (!std::isfinite(step)) {
      break;  // halves of it never come to an end
    }
    double next = s + step;
    while (next != s && (!(next > lower) || profile_at(n, t, next).rss > here.rss)) {
      step /= 2.0;
      next = s + step;
    }
    const bool is_converged = std::abs(next - s) <= 1e-14 * std::max(std::abs(next), 1e-3);
    s = next;
    if (is_converged) {
      break;
    }
  }
  return s;
}

void fill(AmdahlFit& result, double t1, double s, double se, double rss) {
  result.t1 = t1;
  result.serial_fraction = s;
  result.se_serial = se;
  result.rss = rss;
  const double half_width = student_t_critical(result.level, *result.df) * se;
  result.serial_lo = s - half_width;
  result.serial_hi = s + half_width;
  result.status = s < 0.0 ? Status::kSerialBelowZero : Status::kOk;
  if (s > 0.0) {
    result.max_speedup = 1.0 / s;
  }
}

}  // namespace

AmdahlFit amdahl_fit(std::span<const double> n,
                     std::span<const double> t,
                     FitScale scale,
                     double level,
                     std::size_t df_taken) {
  AmdahlFit result;
  result.level = level;
  result.status = check_scaling_points(n, t, 2, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  std::vector<double> reciprocal(n.size());
  std::transform(n.begin(), n.end(), reciprocal.begin(), [](double x) { return 1.0 / x; });
  const LinearFit line = linreg(reciprocal, t, level);
  const double t1 = *line.intercept + *line.slope;
  result.df = static_cast<double>(n.size() - df_taken) - 2.0;
  if (scale == FitScale::kLinear) {
    const double s = *line.intercept / t1;
    // Delta method: ds/dA = B / t1^2, ds/dB = -A / t1^2.
    const double d_a = *line.slope / (t1 * t1);
    const double d_b = -*line.intercept / (t1 * t1);
    const double variance = d_a * d_a * *line.se_intercept * *line.se_intercept +
                            d_b * d_b * *line.se_slope * *line.se_slope +
                            2.0 * d_a * d_b * *line.cov;
    fill(result,
         t1,
         s,
         std::sqrt(std::max(0.0, variance)),
         *line.residual_sd * *line.residual_sd * *result.df);
  } else {
    const double s = log_scale_serial_fraction(n, t, *line.intercept / t1);
    const Profile profile = profile_at(n, t, s);
    fill(result,
         std::exp(profile.log_t1),
         s,
         std::sqrt(profile.rss / *result.df / profile.curvature),
         profile.rss);
  }
  for (const double devices : n) {
    result.fitted.push_back(*result.t1 * share(*result.serial_fraction, devices));
  }
  return result;
}

}  // namespace scalestudy::stats

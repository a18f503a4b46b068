#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stats/distributions.h"
#include "stats/least_squares.h"
#include "stats/scaling_law.h"
#include "stats/scaling_law_check.h"

namespace scalestudy::stats {
namespace {

using Parameters = std::array<double, 3>;  // ln lambda (log scale) or lambda, sigma, kappa

struct Problem {
  std::span<const double> n;
  std::span<const double> y;
  FitScale scale = FitScale::kLog;
  std::size_t free = 3;  // 2: kappa stays 0
  std::size_t df_taken = 0;
};

double denominator(double sigma, double kappa, double n) {
  return 1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0);
}

std::vector<double> residuals(const Problem& problem, const Parameters& at) {
  std::vector<double> result(problem.n.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double n = problem.n[i];
    const double d = denominator(at[1], at[2], n);
    if (!(d > 0.0)) {
      result[i] = std::numeric_limits<double>::infinity();
    } else if (problem.scale == FitScale::kLog) {
      result[i] = std::log(problem.y[i]) - (at[0] + std::log(n) - std::log(d));
    } else {
      result[i] = problem.y[i] - at[0] * n / d;
    }
  }
  return result;
}

double sum_of_squares(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value * value;
  }
  return sum;
}

// Derivatives of the model by column.
std::vector<std::vector<double>> jacobian(const Problem& problem, const Parameters& at) {
  std::vector<std::vector<double>> columns(problem.free, std::vector<double>(problem.n.size()));
  for (std::size_t i = 0; i < problem.n.size(); ++i) {
    const double n = problem.n[i];
    const double d = denominator(at[1], at[2], n);
    const bool is_log = problem.scale == FitScale::kLog;
    const double outer = is_log ? -1.0 / d : -at[0] * n / (d * d);
    columns[0][i] = is_log ? 1.0 : n / d;
    columns[1][i] = outer * (n - 1.0);
    if (problem.free == 3) {
      columns[2][i] = outer * n * (n - 1.0);
    }
  }
  return columns;
}

// N/y = A + B (N-1) + C N (N-1) is linear: lambda = 1/A, sigma = B/A, kappa = C/A.
Parameters start_values(const Problem& problem) {
  std::vector<std::vector<double>> columns(problem.free);
  std::vector<double> left;
  for (std::size_t i = 0; i < problem.n.size(); ++i) {
    const double n = problem.n[i];
    columns[0].push_back(1.0);
    columns[1].push_back(n - 1.0);
    if (problem.free == 3) {
      columns[2].push_back(n * (n - 1.0));
    }
    left.push_back(n / problem.y[i]);
  }
  const auto linear = least_squares(columns, left);
  const bool is_usable = linear && linear->coef[0] > 0.0;
  const double a = is_usable ? linear->coef[0] : left.front();
  Parameters start{1.0 / a,
                   is_usable ? linear->coef[1] / a : 0.0,
                   is_usable && problem.free == 3 ? linear->coef[2] / a : 0.0};
  if (problem.scale == FitScale::kLog) {
    start[0] = std::log(start[0]);
  }
  return std::isfinite(sum_of_squares(residuals(problem, start))) ? start
                                                                  : Parameters{start[0], 0.0, 0.0};
}

// One damped step: least squares with the rows sqrt(damping) |column| appended.
std::optional<Parameters> damped_step(const Problem& problem,
                                      const Parameters& at,
                                      double damping) {
  std::vector<std::vector<double>> columns = jacobian(problem, at);
  std::vector<double> right = residuals(problem, at);
  for (std::size_t j = 0; j < problem.free; ++j) {
    const double length = std::sqrt(sum_of_squares(columns[j]));
    for (std::size_t k = 0; k < problem.free; ++k) {
      columns[k].push_back(k == j ? std::sqrt(damping) * length : 0.0);
    }
    right.push_back(0.0);
  }
  const auto solution = least_squares(columns, right);
  if (!solution) {
    return std::nullopt;
  }
  Parameters next = at;
  for (std::size_t j = 0; j < problem.free; ++j) {
    next[j] += solution->coef[j];
  }
  return next;
}

// Whether a step is 1e-12 of each parameter, or moves the fitted values by less than that: next
// to an optimum at 0 a parameter has no digits of its own that rounding would leave alone.
bool is_settled(const Problem& problem, const Parameters& from, const Parameters& to) {
  const double size = problem.scale == FitScale::kLog
                          ? std::sqrt(static_cast<double>(problem.n.size()))
                          : std::sqrt(sum_of_squares(problem.y));
  const std::vector<std::vector<double>> columns = jacobian(problem, to);
  for (std::size_t j = 0; j < problem.free; ++j) {
    const double step = std::abs(to[j] - from[j]);
    if (!(step <= 1e-12 * std::abs(to[j])) &&
        !(step * std::sqrt(sum_of_squares(columns[j])) <= 1e-13 * size)) {
      return false;
    }
  }
  return true;
}

// Levenberg-Marquardt until is_settled; nullopt when it does not get there.
std::optional<Parameters> minimise(const Problem& problem) {
  Parameters at = start_values(problem);
  double damping = 1e-6;
  constexpr int most_steps = 500;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const auto next = damped_step(problem, at, damping);
    if (!next) {
      return std::nullopt;
    }
    const double here = sum_of_squares(residuals(problem, at));
    const double there = sum_of_squares(residuals(problem, *next));
    if (is_settled(problem, at, *next)) {
      return there <= here ? *next : at;
    }
    // Close to the optimum rss is flat to rounding: a step that does not worsen it by more counts.
    if (there <= here * (1.0 + 1e-14)) {
      at = *next;
      damping /= 10.0;
    } else {
      damping = std::max(damping, 1e-12) * 10.0;
    }
  }
  return std::nullopt;
}

// Whether the sum of squares falls as kappa grows from its bound at 0.
bool falls_with_kappa(Problem problem, const Parameters& at) {
  const std::vector<double> left = residuals(problem, at);
  problem.free = 3;
  const std::vector<double> slope = jacobian(problem, at)[2];
  double product = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    product += left[i] * slope[i];
  }
  return product > 0.0;
}

void fill(UslFit& result, const Problem& problem, const Parameters& at) {
  const auto covariance = least_squares(jacobian(problem, at), residuals(problem, at));
  if (!covariance) {
    result.status = Status::kDegenerate;
    return;
  }
  const double rss = sum_of_squares(residuals(problem, at));
  const auto df = static_cast<double>(problem.n.size() - problem.free - problem.df_taken);
  const auto se = [&](std::size_t j) {
    return std::sqrt(rss / df * covariance->unscaled_covariance[j * problem.free + j]);
  };
  const bool is_log = problem.scale == FitScale::kLog;
  result.lambda = is_log ? std::exp(at[0]) : at[0];
  result.sigma = at[1];
  result.kappa = at[2];
  result.se_lambda = is_log ? *result.lambda * se(0) : se(0);
  result.se_sigma = se(1);
  result.df = df;
  result.rss = rss;
  for (const double n : problem.n) {
    result.fitted.push_back(*result.lambda * n / denominator(at[1], at[2], n));
  }
  if (problem.free == 2) {
    return;
  }
  const double t = student_t_critical(result.level, df);
  result.se_kappa = se(2);
  result.sigma_lo = at[1] - t * se(1);
  result.sigma_hi = at[1] + t * se(1);
  result.kappa_lo = at[2] - t * se(2);
  result.kappa_hi = at[2] + t * se(2);
  if (at[2] > 0.0 && at[1] < 1.0) {
    result.n_peak = std::sqrt((1.0 - at[1]) / at[2]);
  }
}

}  // namespace

UslFit usl_fit(std::span<const double> n,
               std::span<const double> y,
               FitScale scale,
               double level,
               std::size_t df_taken) {
  UslFit result;
  result.level = level;
  result.status = check_scaling_points(n, y, 3, level, df_taken);
  if (result.status != Status::kOk) {
    return result;
  }
  Problem problem{.n = n, .y = y, .scale = scale, .df_taken = df_taken};
  std::optional<Parameters> optimum = minimise(problem);
  const bool is_found = optimum.has_value();
  if (!is_found || (*optimum)[2] < 0.0) {
    result.status = Status::kKappaAtBound;
    problem.free = 2;
    optimum = minimise(problem);
  }
  // Without an optimum of the free fit, kappa is at the bound only if the squares rise from there.
  if (!optimum || (!is_found && falls_with_kappa(problem, *optimum))) {
    result.status = Status::kDegenerate;
    return result;
  }
  fill(result, problem, *optimum);
  return result;
}

}  // namespace scalestudy::stats

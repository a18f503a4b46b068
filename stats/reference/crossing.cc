#include "stats/reference/crossing.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

struct FiellerEnds {
  double lo = 0.0;
  double hi = 0.0;
};

// Roots in w = u - mean u of (height + slope w)^2 = t^2 (v_height + w^2 v_slope), for
// slope^2 > t^2 v_slope. Centred: height and slope are uncorrelated there.
FiellerEnds fieller_ends(double height, double slope, double v_height, double v_slope, double t) {
  const double leading = slope * slope - t * t * v_slope;
  const double discriminant = t * t * (v_height * leading + height * height * v_slope);
  const double root = std::sqrt(discriminant);
  return {.lo = (-height * slope - root) / leading, .hi = (-height * slope + root) / leading};
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

LineCrossing linreg_crossing(std::span<const double> x,
                             std::span<const double> y,
                             Predictor predictor,
                             double target,
                             double level) {
  LineCrossing result;
  result.level = level;
  const bool is_log = predictor == Predictor::kLogarithm;
  if ((is_log && !all_positive(x)) || !std::isfinite(target) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  std::vector<double> u(x.begin(), x.end());
  if (is_log) {
    std::transform(u.begin(), u.end(), u.begin(), [](double value) { return std::log(value); });
  }
  const LinearFit line = linreg(u, y);
  if (line.status != Status::kOk) {
    result.status = line.status;
    return result;
  }
  result.df = line.df;
  result.status = Status::kUnresolved;
  if (*line.slope == 0.0) {
    return result;
  }
  const double mean_u = moments(u).mean;
  const double height = moments(y).mean - target;
  const double variance = *line.residual_sd * *line.residual_sd;
  const double v_height = variance / static_cast<double>(x.size());
  const double v_slope = *line.se_slope * *line.se_slope;
  const double t = student_t_critical(level, *line.df);
  const double w0 = -height / *line.slope;
  const auto to_x = [&](double w) { return finite(is_log ? std::exp(mean_u + w) : mean_u + w); };
  result.u0 = mean_u + w0;
  result.x0 = to_x(w0);
  result.se_delta_u = std::sqrt(v_height + w0 * w0 * v_slope) / std::abs(*line.slope);
  result.g = t * t * v_slope / (*line.slope * *line.slope);
  if (!(*result.g < 1.0)) {
    return result;
  }
  const FiellerEnds ends = fieller_ends(height, *line.slope, v_height, v_slope, t);
  const FiellerEnds new_obs = fieller_ends(height, *line.slope, v_height + variance, v_slope, t);
  result.lo = to_x(ends.lo);
  result.hi = to_x(ends.hi);
  result.lo_new_obs = to_x(new_obs.lo);
  result.hi_new_obs = to_x(new_obs.hi);
  const auto [least, greatest] = std::minmax_element(u.begin(), u.end());
  const bool is_inside = *least <= *result.u0 && *result.u0 <= *greatest;
  result.status = is_inside ? Status::kOk : Status::kExtrapolated;
  return result;
}

LackOfFit lack_of_fit(std::span<const double> x, std::span<const double> y) {
  LackOfFit result;
  const LinearFit line = linreg(x, y);
  if (line.status != Status::kOk) {
    result.status = line.status;
    return result;
  }
  // Fitted values from the means, not the intercept: x far from 0 must not cost digits.
  const double mean_x = moments(x).mean;
  const double mean_y = moments(y).mean;
  std::vector<double> fitted;
  for (const double value : x) {
    fitted.push_back(mean_y + *line.slope * (value - mean_x));
  }
  return lack_of_fit_of_model(x, y, fitted, 2);
}

}  // namespace scalestudy::stats

// Many cells: regression, monotone fits, thresholds, scaling laws.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "stats/alpha_beta.h"
#include "stats/isotonic.h"
#include "stats/reference/crossing.h"
#include "stats/reference/gustafson.h"
#include "stats/regression.h"
#include "stats/scaling_law.h"
#include "stats/threshold.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

constexpr double kLevel = 0.95;  // of the fits, whose cases do not state one

Json linreg(const Json& input) {
  const stats::LinearFit f = stats::linreg(numbers(input, "x"), numbers(input, "y"));
  return {{"status", to_json(f.status)},
          {"intercept", to_json(f.intercept)},
          {"slope", to_json(f.slope)},
          {"se_intercept", to_json(f.se_intercept)},
          {"se_slope", to_json(f.se_slope)},
          {"cov", to_json(f.cov)},
          {"residual_sd", to_json(f.residual_sd)},
          {"df", to_json(f.df)}};
}

// The cases test the straight line in ln x: x is a batch or a size.
Json lack_of_fit(const Json& input) {
  std::vector<double> u = numbers(input, "x");
  std::transform(u.begin(), u.end(), u.begin(), [](double x) { return std::log(x); });
  const stats::LackOfFit f = stats::lack_of_fit(u, numbers(input, "y"));
  return {{"status", to_json(f.status)},
          {"F", to_json(f.f)},
          {"df1", to_json(f.df1)},
          {"df2", to_json(f.df2)},
          {"p", to_json(f.p)}};
}

Json isotonic(const Json& input) {
  const stats::IsotonicFit f = stats::isotonic(numbers(input, "y"), numbers(input, "w"));
  return {{"status", to_json(f.status)}, {"fit", f.fit}};
}

stats::Direction direction_of(const std::string& name) {
  if (name == "increasing") {
    return stats::Direction::kIncreasing;
  }
  if (name == "decreasing") {
    return stats::Direction::kDecreasing;
  }
  if (name == "any") {
    return stats::Direction::kAny;
  }
  throw std::runtime_error("no direction is called '" + name + "'");
}

Json pieces_json(const std::vector<stats::Piece>& pieces) {
  Json out = Json::array();
  for (const stats::Piece& piece : pieces) {
    out.push_back({piece.lo, piece.hi});
  }
  return out;
}

Json threshold_piecewise(const Json& input) {
  const std::vector<double> x = numbers(input, "x");
  const std::vector<double> g = numbers(input, "g");
  const std::vector<double> se = numbers(input, "se");
  const std::vector<double> df = numbers(input, "df");
  if (g.size() != x.size() || se.size() != x.size() || df.size() != x.size()) {
    throw std::runtime_error("x, g, se and df differ in length");
  }
  std::vector<stats::TestedValue> values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    values.push_back({.x = x[i], .g = g[i], .se = se[i], .df = df[i]});
  }
  const stats::Threshold t = stats::threshold_piecewise(values,
                                                        number(input, "target"),
                                                        number(input, "level"),
                                                        direction_of(word(input, "direction")));
  return {{"status", to_json(t.status)},
          {"signs", t.signs},
          {"bracket", Json::array({to_json(t.bracket.lo), to_json(t.bracket.hi)})},
          {"estimate", to_json(t.estimate)},
          {"crossings", t.crossings},
          {"set_linear", pieces_json(t.set_linear)},
          {"set_curvature", pieces_json(t.set_curvature)},
          {"censored_low", t.censored_low},
          {"censored_high", t.censored_high}};
}

Json linreg_crossing(const Json& input) {
  const std::string transform = word(input, "x_transform");
  if (transform != "ln" && transform != "none") {
    throw std::runtime_error("no transform is called '" + transform + "'");
  }
  const stats::LineCrossing c = stats::linreg_crossing(
      numbers(input, "x"),
      numbers(input, "y"),
      transform == "ln" ? stats::Predictor::kLogarithm : stats::Predictor::kIdentity,
      number(input, "target"),
      number(input, "level"));
  return {{"status", to_json(c.status)},
          {"x0", to_json(c.x0)},
          {"u0", to_json(c.u0)},
          {"se_delta_u", to_json(c.se_delta_u)},
          {"df", to_json(c.df)},
          {"g", to_json(c.g)},
          {"lo", to_json(c.lo)},
          {"hi", to_json(c.hi)},
          {"lo_new_obs", to_json(c.lo_new_obs)},
          {"hi_new_obs", to_json(c.hi_new_obs)}};
}

Json alpha_beta_fit(const Json& input) {
  const auto f = stats::alpha_beta_fit(numbers(input, "bytes"), numbers(input, "seconds"), kLevel);
  return {{"status", to_json(f.status)},
          {"alpha_s", to_json(f.alpha_s)},
          {"beta_s_per_byte", to_json(f.beta_s_per_byte)},
          {"bandwidth_bytes_per_s", to_json(f.bandwidth_bytes_per_s)},
          {"se_alpha", to_json(f.se_alpha)},
          {"se_beta", to_json(f.se_beta)},
          {"alpha_lo", to_json(f.alpha_lo)},
          {"alpha_hi", to_json(f.alpha_hi)},
          {"bandwidth_lo", to_json(f.bandwidth_lo)},
          {"bandwidth_hi", to_json(f.bandwidth_hi)},
          {"rel_residual_sd", to_json(f.rel_residual_sd)},
          {"df", to_json(f.df)}};
}

Json gustafson_fit(const Json& input) {
  const auto f =
      stats::gustafson_line(numbers(input, "n"), numbers(input, "scaled_speedup"), kLevel);
  return {{"status", to_json(f.status)},
          {"serial_fraction", to_json(f.serial_fraction)},
          {"se", to_json(f.se)},
          {"lo", to_json(f.lo)},
          {"hi", to_json(f.hi)},
          {"df", to_json(f.df)}};
}

stats::FitScale scale_of(const std::string& name) {
  if (name != "log" && name != "linear") {
    throw std::runtime_error("no scale is called '" + name + "'");
  }
  return name == "log" ? stats::FitScale::kLog : stats::FitScale::kLinear;
}

Json amdahl_fit(const Json& input) {
  const stats::AmdahlFit f = stats::amdahl_fit(
      numbers(input, "n"), numbers(input, "t"), scale_of(word(input, "scale")), kLevel);
  return {{"status", to_json(f.status)},
          {"t1", to_json(f.t1)},
          {"serial_fraction", to_json(f.serial_fraction)},
          {"se_serial", to_json(f.se_serial)},
          {"serial_lo", to_json(f.serial_lo)},
          {"serial_hi", to_json(f.serial_hi)},
          {"df", to_json(f.df)},
          {"rss", to_json(f.rss)}};
}

Json usl_fit(const Json& input) {
  const stats::UslFit f = stats::usl_fit(
      numbers(input, "n"), numbers(input, "y"), scale_of(word(input, "scale")), kLevel);
  return {{"status", to_json(f.status)},
          {"lambda", to_json(f.lambda)},
          {"sigma", to_json(f.sigma)},
          {"kappa", to_json(f.kappa)},
          {"se_lambda", to_json(f.se_lambda)},
          {"se_sigma", to_json(f.se_sigma)},
          {"se_kappa", to_json(f.se_kappa)},
          {"sigma_lo", to_json(f.sigma_lo)},
          {"sigma_hi", to_json(f.sigma_hi)},
          {"kappa_lo", to_json(f.kappa_lo)},
          {"kappa_hi", to_json(f.kappa_hi)},
          {"df", to_json(f.df)},
          {"rss", to_json(f.rss)},
          {"n_peak", to_json(f.n_peak)}};
}

}  // namespace

void add_curve_adapters(AdapterTable& table) {
  table["linreg"] = linreg;
  table["lack_of_fit"] = lack_of_fit;
  table["isotonic"] = isotonic;
  table["threshold_piecewise"] = threshold_piecewise;
  table["linreg_crossing"] = linreg_crossing;
  table["alpha_beta_fit"] = alpha_beta_fit;
  table["gustafson_fit"] = gustafson_fit;
  table["amdahl_fit"] = amdahl_fit;
  table["usl_fit"] = usl_fit;
}

}  // namespace scalestudy::test

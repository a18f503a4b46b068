#include "stats/step_law.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/check.h"
#include "stats/least_squares.h"
#include "stats/scaling_law.h"
#include "stats/scaling_law_check.h"
#include "stats/sum.h"

namespace scalestudy::stats {
namespace {

constexpr double kLevel = 0.95;  // intervals are not asked for

double share(bool is_weak, double n) {
  return is_weak ? 1.0 : 1.0 / n;
}

double hops(double n) {
  return 2.0 * (n - 1.0);
}

double volume(double n) {
  return 2.0 * (n - 1.0) / n;
}

double mean_of(const StepPoints& points, const auto& term) {
  return pairwise_sum(0, points.n.size(), term) / static_cast<double>(points.n.size());
}

FittedStep degenerate() {
  FittedStep none;
  none.status = Status::kDegenerate;
  return none;
}

FittedStep fit_perfect(const StepPoints& points) {
  const double log_t1 = mean_of(points, [&](std::size_t i) {
    return std::log(points.t[i] / share(points.is_weak, points.n[i]));
  });
  FittedStep fit;
  fit.parameters = {{"t1_s", std::exp(log_t1)}};
  fit.time_s = [t1 = std::exp(log_t1), is_weak = points.is_weak](double n) {
    return t1 * share(is_weak, n);
  };
  return fit;
}

FittedStep fit_amdahl(const StepPoints& points) {
  const AmdahlFit law = amdahl_fit(points.n, points.t, FitScale::kLog, kLevel);
  if (points.is_weak || !law.serial_fraction) {
    return degenerate();
  }
  FittedStep fit;
  fit.parameters = {{"serial_fraction", *law.serial_fraction}, {"t1_s", *law.t1}};
  fit.time_s = [t1 = *law.t1, s = *law.serial_fraction](double n) {
    return t1 * (s + (1.0 - s) / n);
  };
  return fit;
}

FittedStep fit_gustafson(const StepPoints& points) {
  const GustafsonFit law = gustafson_fit(points.n, points.t, kLevel);
  if (!points.is_weak || !law.serial_fraction) {
    return degenerate();
  }
  FittedStep fit;
  fit.parameters = {{"serial_fraction", *law.serial_fraction}, {"t1_s", *law.t1}};
  fit.time_s = [t1 = *law.t1, s = *law.serial_fraction](double n) {
    return t1 * n / (n - s * (n - 1.0));
  };
  return fit;
}

FittedStep fit_usl(const StepPoints& points) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    rates.push_back(points.n[i] * share(points.is_weak, points.n[i]) / points.t[i]);
  }
  const UslFit law = usl_fit(points.n, rates, FitScale::kLog, kLevel);
  if (!law.lambda) {
    return degenerate();
  }
  FittedStep fit;
  fit.free_parameters = law.status == Status::kKappaAtBound ? 2 : 3;
  fit.parameters = {{"sigma", *law.sigma}, {"kappa", *law.kappa}, {"lambda", *law.lambda}};
  fit.time_s = [law, is_weak = points.is_weak](double n) {
    const double lost = *law.sigma * (n - 1.0) + *law.kappa * n * (n - 1.0);
    return share(is_weak, n) * (1.0 + lost) / *law.lambda;
  };
  return fit;
}

// Of the relative errors (c g + K - t)/t.
FittedStep fit_added(const StepPoints& points) {
  const auto slope = [&](std::size_t i) {
    return share(points.is_weak, points.n[i]) / points.t[i];
  };
  const double product = mean_of(points, [&](std::size_t i) {
    return slope(i) * (1.0 - points.communication_s(points.n[i]) / points.t[i]);
  });
  const double compute_s =
      product / mean_of(points, [&](std::size_t i) { return slope(i) * slope(i); });
  if (!is_positive(compute_s)) {
    return degenerate();  // the communication alone takes longer than the steps
  }
  FittedStep fit;
  fit.parameters = {{"compute_s", compute_s}};
  fit.time_s = [compute_s, is_weak = points.is_weak, known = points.communication_s](double n) {
    return compute_s * share(is_weak, n) + known(n);
  };
  return fit;
}

double log_rss(const StepPoints& points, const std::function<double(double)>& time_s) {
  return pairwise_sum(0, points.n.size(), [&](std::size_t i) {
    const double left = std::log(points.t[i]) - std::log(time_s(points.n[i]));
    return left * left;
  });
}

// Points by the c from which on their step is computation: between two of these values the least
// squares are a mean of those below, or lie at an end.
FittedStep fit_hidden(const StepPoints& points) {
  std::vector<std::pair<double, double>> at;  // K/g and ln(t/g)
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    const double g = share(points.is_weak, points.n[i]);
    at.emplace_back(points.communication_s(points.n[i]) / g, std::log(points.t[i] / g));
  }
  std::ranges::sort(at);
  std::vector<double> candidates;
  double sum = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    sum += at[i].second;
    candidates.push_back(std::exp(sum / static_cast<double>(i + 1)));
    candidates.push_back(at[i].first);
  }
  std::optional<FittedStep> best;
  for (const double compute_s : candidates) {
    // A computation below the least communication is not seen in any step.
    if (compute_s <= at.front().first || !is_positive(compute_s)) {
      continue;
    }
    FittedStep fit;
    fit.parameters = {{"compute_s", compute_s}};
    fit.time_s = [compute_s, is_weak = points.is_weak, known = points.communication_s](double n) {
      return std::max(compute_s * share(is_weak, n), known(n));
    };
    fit.rss = log_rss(points, fit.time_s);
    if (!best || fit.rss < best->rss) {
      best = std::move(fit);
    }
  }
  return best ? *best : degenerate();
}

// The column of a least squares of relative errors: term(n)/t of each point.
std::vector<double> over_time(const StepPoints& points, const auto& term) {
  std::vector<double> column(points.n.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    column[i] = term(points.n[i]) / points.t[i];
  }
  return column;
}

// Both, one or neither of the ring's two parts at 0, whichever of the allowed has the least
// squares.
FittedStep fit_ring(const StepPoints& points) {
  if (!points.is_weak) {
    return degenerate();
  }
  const std::vector<double> ones(points.n.size(), 1.0);
  const std::vector<double> computation = over_time(points, [](double) { return 1.0; });
  const std::vector<double> latency = over_time(points, hops);
  const std::vector<double> transfer = over_time(points, volume);
  std::optional<FittedStep> best;
  double least = 0.0;
  for (const auto& [has_hops, has_volume] : {std::pair(true, true),
                                             std::pair(true, false),
                                             std::pair(false, true),
                                             std::pair(false, false)}) {
    std::vector<std::vector<double>> columns{computation};
    if (has_hops) {
      columns.push_back(latency);
    }
    if (has_volume) {
      columns.push_back(transfer);
    }
    const auto solved = least_squares(columns, ones);
    if (!solved || !is_positive(solved->coef.front()) ||
        std::ranges::any_of(solved->coef, [](double c) { return c < 0.0; }) ||
        (best && !(solved->rss < least))) {
      continue;
    }
    const double c = solved->coef.front();
    const double a = has_hops ? solved->coef[1] : 0.0;
    const double b = has_volume ? solved->coef.back() : 0.0;
    best.emplace();
    best->parameters = {{"compute_s", c}, {"hop_latency_s", a}, {"transfer_s", b}};
    best->time_s = [c, a, b](double n) { return c + a * hops(n) + b * volume(n); };
    least = solved->rss;
  }
  return best ? *best : degenerate();
}

// (N^p - 1)/p: from 1 - 1/N over ln N (p = 0) and N - 1 to (N^2 - 1)/2.
double growth(double n, double power) {
  return power == 0.0 ? std::log(n) : (std::pow(n, power) - 1.0) / power;
}

// The power of the least squares on a grid, which is fine enough for a curve to be extrapolated.
FittedStep fit_power(const StepPoints& points) {
  constexpr int per_unit = 8;
  const std::vector<double> ones(points.n.size(), 1.0);
  std::vector<std::vector<double>> columns(2);
  columns[0] = over_time(points, [&](double n) { return share(points.is_weak, n); });
  std::optional<FittedStep> best;
  double least = 0.0;
  for (int step = -per_unit; step <= 2 * per_unit; ++step) {
    const double power = static_cast<double>(step) / per_unit;
    columns[1] = over_time(points, [&](double n) { return growth(n, power); });
    const auto solved = least_squares(columns, ones);
    if (!solved || !is_positive(solved->coef[0]) || solved->coef[1] < 0.0 ||
        (best && !(solved->rss < least))) {
      continue;
    }
    const double c = solved->coef[0];
    const double a = solved->coef[1];
    best.emplace();
    best->parameters = {{"compute_s", c}, {"growth_s", a}, {"power", power}};
    best->time_s = [c, a, power, is_weak = points.is_weak](double n) {
      return c * share(is_weak, n) + a * growth(n, power);
    };
    least = solved->rss;
  }
  return best ? *best : fit_perfect(points);
}

FittedStep fit_of(StepLaw law, const StepPoints& points) {
  switch (law) {
    case StepLaw::kPerfect:
      return fit_perfect(points);
    case StepLaw::kAmdahl:
      return fit_amdahl(points);
    case StepLaw::kGustafson:
      return fit_gustafson(points);
    case StepLaw::kUsl:
      return fit_usl(points);
    case StepLaw::kAdded:
      return fit_added(points);
    case StepLaw::kHidden:
      return fit_hidden(points);
    case StepLaw::kRing:
      return fit_ring(points);
    case StepLaw::kPower:
      return fit_power(points);
  }
  return degenerate();
}

}  // namespace

std::size_t parameter_count(StepLaw law) {
  switch (law) {
    case StepLaw::kPerfect:
    case StepLaw::kAdded:
    case StepLaw::kHidden:
      return 1;
    case StepLaw::kAmdahl:
    case StepLaw::kGustafson:
      return 2;
    case StepLaw::kUsl:
    case StepLaw::kRing:
    case StepLaw::kPower:
      return 3;
  }
  return 0;
}

std::vector<StepLaw> laws_that_apply(const StepPoints& points) {
  std::vector<StepLaw> laws{points.is_weak ? StepLaw::kGustafson : StepLaw::kAmdahl, StepLaw::kUsl};
  if (points.is_weak) {
    laws.push_back(StepLaw::kRing);
  }
  if (points.communication_s) {
    laws.insert(laws.end(), {StepLaw::kAdded, StepLaw::kHidden});
  }
  return laws;
}

FittedStep fit_step_law(StepLaw law, const StepPoints& points) {
  FittedStep none;
  none.status = check_scaling_points(points.n, points.t, parameter_count(law), kLevel, 0);
  if (none.status != Status::kOk) {
    return none;
  }
  if (law == StepLaw::kAdded || law == StepLaw::kHidden) {
    if (!points.communication_s) {
      return degenerate();
    }
    for (const double n : points.n) {
      const double time_s = points.communication_s(n);
      if (!(time_s >= 0.0) || !std::isfinite(time_s)) {
        none.status = Status::kInvalidInput;
        return none;
      }
    }
  }
  FittedStep fit = fit_of(law, points);
  if (!fit.time_s ||
      !std::ranges::all_of(points.n, [&](double n) { return is_positive(fit.time_s(n)); })) {
    return degenerate();
  }
  fit.status = Status::kOk;
  fit.free_parameters = fit.free_parameters == 0 ? parameter_count(law) : fit.free_parameters;
  fit.rss = log_rss(points, fit.time_s);
  return fit;
}

}  // namespace scalestudy::stats

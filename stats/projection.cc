#include "stats/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "stats/check.h"
#include "stats/draws.h"

namespace scalestudy::stats {
namespace {

constexpr std::size_t kRefits = 999;
constexpr std::uint64_t kSeed = 20261123;

// Standard deviation of ln t between trials of one count; 0 without replicates.
double noise_of(const StepPoints& points, const std::set<double>& counts, std::size_t df_taken) {
  const std::size_t spent = counts.size() + df_taken;
  if (points.n.size() <= spent) {
    return 0.0;
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    const double left = std::log(points.t[i] / mean_time_at(points, points.n[i]));
    squares += left * left;
  }
  return std::sqrt(squares / static_cast<double>(points.n.size() - spent));
}

// The model of the least squares at the points; nothing where none applies.
std::optional<StepLaw> best_model(const StepPoints& points) {
  std::vector<StepLaw> models;
  if (points.communication_s) {
    models = {StepLaw::kAdded, StepLaw::kHidden};
  } else if (points.is_weak) {
    models = {StepLaw::kRing};
  }
  std::optional<StepLaw> best;
  double least = 0.0;
  for (const StepLaw model : models) {
    const FittedStep fit = fit_step_law(model, points);
    if (fit.status == Status::kOk && (!best || fit.rss < least)) {
      best = model;
      least = fit.rss;
    }
  }
  return best;
}

// Signed errors predicted/measured - 1 of a law fitted to `below`, at each of the counts held out.
struct Prediction {
  Status status = Status::kDegenerate;
  std::vector<double> errors = {};
};

Prediction predict(StepLaw law,
                   const StepPoints& below,
                   const StepPoints& all,
                   const std::vector<double>& held_out) {
  const FittedStep fit = fit_step_law(law, below);
  Prediction prediction{.status = fit.status};
  for (const double n : held_out) {
    if (fit.status != Status::kOk || !is_positive(fit.time_s(n))) {
      prediction.status = fit.status == Status::kOk ? Status::kDegenerate : fit.status;
      return prediction;
    }
    prediction.errors.push_back(fit.time_s(n) / mean_time_at(all, n) - 1.0);
  }
  return prediction;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

HeldOutError rival_of(StepLaw law, const Prediction& prediction) {
  HeldOutError rival{
      .law = law, .status = prediction.status, .free_parameters = parameter_count(law)};
  if (prediction.status == Status::kOk) {
    for (const double error : prediction.errors) {
      rival.error_by_count.push_back(std::abs(error));
    }
    rival.error = mean_of(rival.error_by_count);
  }
  return rival;
}

// Standard deviation of ln of a count's mean around the law: of the residuals of the fit, which are
// few, or of means of as many trials as the count with the fewest has, whichever is larger.
struct Spread {
  double sd = 0.0;
  std::size_t df = 0;  // of the residuals
};

Spread spread_of_counts(const StepPoints& points,
                        const std::vector<double>& counts,
                        const FittedStep& fit,
                        double noise) {
  double squares = 0.0;
  auto fewest = static_cast<double>(points.n.size());
  for (const double count : counts) {
    const double left = std::log(mean_time_at(points, count) / fit.time_s(count));
    squares += left * left;
    fewest = std::min(fewest, static_cast<double>(std::ranges::count(points.n, count)));
  }
  const std::size_t df = counts.size() - fit.free_parameters;
  return {.sd = std::max(std::sqrt(squares / static_cast<double>(df)), noise / std::sqrt(fewest)),
          .df = df};
}

// The rivals and kPower, as far as they are near at the counts held out, or about as near to all
// counts as the model is.
std::vector<StepLaw> alternatives_of(const StepPoints& points,
                                     const std::vector<double>& counts,
                                     const ProjectionCheck& check,
                                     const Prediction& power) {
  constexpr double about = 3.0;
  const auto spread_of = [&](StepLaw law) {
    const FittedStep fit = fit_step_law(law, points);
    return fit.status == Status::kOk && fit.free_parameters < counts.size()
               ? spread_of_counts(points, counts, fit, check.noise).sd
               : HUGE_VAL;
  };
  std::vector<HeldOutError> others = check.rivals;
  others.push_back(rival_of(StepLaw::kPower, power));
  const double own = spread_of(check.model);
  std::vector<StepLaw> laws;
  for (const HeldOutError& other : others) {
    if ((other.error && *other.error <= check.limit) || spread_of(other.law) <= about * own) {
      laws.push_back(other.law);
    }
  }
  return laws;
}

// How many of the ascending counts are held out.
std::size_t count_held_out(const std::vector<double>& counts, std::size_t hold_out) {
  if (hold_out > 0) {
    return std::min(hold_out, counts.size());
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(counts, [&](double n) { return n > counts.back() / 2.0; }));
}

// The time of one law, with the interval that the errors of counts give it.
ProjectedTime project_law(
    StepLaw law, const StepPoints& points, const ProjectionCheck& check, double n, double level) {
  ProjectedTime result;
  const FittedStep fit = fit_step_law(law, points);
  if (fit.status != Status::kOk || !is_positive(fit.time_s(n)) || !is_level(level)) {
    result.status = fit.status == Status::kOk ? Status::kDegenerate : fit.status;
    return result;
  }
  const std::set<double> distinct(points.n.begin(), points.n.end());
  const std::vector<double> counts(distinct.begin(), distinct.end());
  const Spread spread = spread_of_counts(points, counts, fit, check.noise);
  Draws draws(kSeed);
  std::vector<double> times(counts.size());
  StepPoints again = points;
  again.n = counts;
  again.t = times;
  std::vector<double> drawn;
  for (std::size_t refit = 0; refit < kRefits; ++refit) {
    const double sd = spread.sd * draws.inflation(spread.df);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      times[i] = fit.time_s(counts[i]) * std::exp(sd * draws.normal());
    }
    const FittedStep other = fit_step_law(law, again);
    if (other.status == Status::kOk && is_positive(other.time_s(n))) {
      const double new_count = sd * draws.normal() + draws.either_sign(check.log_errors);
      drawn.push_back(other.time_s(n) * std::exp(new_count));
    }
  }
  if (drawn.size() < kRefits / 2) {
    result.status = Status::kDegenerate;
    return result;
  }
  std::ranges::sort(drawn);
  const auto cut =
      static_cast<std::size_t>((1.0 - level) / 2.0 * static_cast<double>(drawn.size() + 1));
  result.status = Status::kOk;
  result.time_s = fit.time_s(n);
  result.lo = drawn[cut > 0 ? cut - 1 : 0];
  result.hi = drawn[drawn.size() - std::max<std::size_t>(cut, 1)];
  return result;
}

}  // namespace

ProjectionCheck check_projection(const StepPoints& points,
                                 std::size_t hold_out,
                                 std::size_t df_taken) {
  ProjectionCheck check;
  const std::set<double> distinct(points.n.begin(), points.n.end());
  const std::vector<double> counts(distinct.begin(), distinct.end());
  check.counts = counts.size();
  if (counts.empty()) {
    return check;
  }
  check.held_out = count_held_out(counts, hold_out);
  check.most = counts.back();
  const std::size_t fitted = counts.size() - check.held_out;
  if (fitted < kFewestFittedCounts) {
    return check;
  }
  check.most_fitted = counts[fitted - 1];
  const std::vector<double> held_out(counts.end() - static_cast<std::ptrdiff_t>(check.held_out),
                                     counts.end());
  const KeptPoints kept = keep_points(points, [&](double n) { return n <= check.most_fitted; });
  StepPoints below = points;
  below.n = kept.n;
  below.t = kept.t;
  check.noise = noise_of(points, distinct, df_taken);
  check.limit = std::max(kMostError, kMostNoises * check.noise);
  for (const StepLaw law : {StepLaw::kPerfect,
                            points.is_weak ? StepLaw::kGustafson : StepLaw::kAmdahl,
                            StepLaw::kUsl}) {
    check.rivals.push_back(rival_of(law, predict(law, below, points, held_out)));
  }
  const std::optional<StepLaw> model = best_model(below);
  const Prediction own =
      model ? predict(*model, below, points, held_out) : Prediction{.status = Status::kDegenerate};
  check.status = own.status;
  if (own.status != Status::kOk) {
    return check;
  }
  check.model = *model;
  check.error = *rival_of(*model, own).error;
  for (const double error : own.errors) {
    check.log_errors.push_back(-std::log1p(error));
  }
  check.is_passed = *check.error <= check.limit;
  for (const HeldOutError& rival : check.rivals) {
    check.status = rival.error ? check.status : rival.status;
    check.is_passed =
        check.is_passed && rival.error && *check.error + kErrorRounding < *rival.error;
  }
  check.alternatives =
      alternatives_of(points, counts, check, predict(StepLaw::kPower, below, points, held_out));
  return check;
}

ProjectedTime project_time(const StepPoints& points,
                           const ProjectionCheck& check,
                           double n,
                           double level) {
  ProjectedTime result = project_law(check.model, points, check, n, level);
  for (const StepLaw law : check.alternatives) {
    const ProjectedTime other = project_law(law, points, check, n, level);
    if (result.status == Status::kOk && other.status == Status::kOk) {
      result.lo = std::min(*result.lo, *other.lo);
      result.hi = std::max(*result.hi, *other.hi);
    }
  }
  return result;
}

}  // namespace scalestudy::stats

#include "stats/law_choice.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/check.h"

namespace scalestudy::stats {
namespace {

// Whether `simple` is not worse than `best` by more than a standard error of their difference.
bool is_as_good(const HeldOutError& simple, const HeldOutError& best) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < simple.error_by_count.size(); ++i) {
    differences.push_back(simple.error_by_count[i] - best.error_by_count[i]);
  }
  const auto count = static_cast<double>(differences.size());
  double sum = 0.0;
  for (const double difference : differences) {
    sum += difference;
  }
  const double mean = sum / count;
  double squares = 0.0;
  for (const double difference : differences) {
    squares += (difference - mean) * (difference - mean);
  }
  return mean <= std::sqrt(squares / (count - 1.0) / count) + kErrorRounding;
}

}  // namespace

double mean_time_at(const StepPoints& points, double n) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    if (points.n[i] == n) {
      sum += std::log(points.t[i]);
      count += 1.0;
    }
  }
  return std::exp(sum / count);
}

KeptPoints keep_points(const StepPoints& points, const std::function<bool(double n)>& is_kept) {
  KeptPoints kept;
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    if (is_kept(points.n[i])) {
      kept.n.push_back(points.n[i]);
      kept.t.push_back(points.t[i]);
    }
  }
  return kept;
}

HeldOutError leave_counts_out(StepLaw law, const StepPoints& points) {
  HeldOutError result;
  result.law = law;
  result.free_parameters = parameter_count(law);
  const std::set<double> counts(points.n.begin(), points.n.end());
  if (counts.size() < 3) {
    return result;
  }
  double sum = 0.0;
  for (const double left_out : counts) {
    const KeptPoints kept = keep_points(points, [&](double n) { return n != left_out; });
    StepPoints rest = points;
    rest.n = kept.n;
    rest.t = kept.t;
    const FittedStep fit = fit_step_law(law, rest);
    if (fit.status != Status::kOk || !is_positive(fit.time_s(left_out))) {
      result.error_by_count.clear();
      result.status = fit.status == Status::kOk ? Status::kDegenerate : fit.status;
      return result;
    }
    result.error_by_count.push_back(
        std::abs(fit.time_s(left_out) / mean_time_at(points, left_out) - 1.0));
    sum += result.error_by_count.back();
  }
  result.error = sum / static_cast<double>(counts.size());
  result.status = Status::kOk;
  return result;
}

LawChoice choose_law(const StepPoints& points, std::span<const StepLaw> candidates) {
  LawChoice choice;
  choice.counts = std::set<double>(points.n.begin(), points.n.end()).size();
  for (const StepLaw law : candidates) {
    choice.laws.push_back(choice.counts < kFewestCounts
                              ? HeldOutError{.law = law, .free_parameters = parameter_count(law)}
                              : leave_counts_out(law, points));
  }
  if (choice.counts < kFewestCounts) {
    return choice;
  }
  const auto best = std::ranges::min_element(
      choice.laws, {}, [](const HeldOutError& law) { return law.error.value_or(HUGE_VAL); });
  choice.status = Status::kDegenerate;
  if (best == choice.laws.end() || !best->error) {
    return choice;
  }
  const HeldOutError* chosen = &*best;
  for (const HeldOutError& law : choice.laws) {
    const bool is_simpler =
        law.free_parameters < chosen->free_parameters ||
        (law.free_parameters == chosen->free_parameters && law.error < chosen->error);
    if (law.error && is_simpler && is_as_good(law, *best)) {
      chosen = &law;
    }
  }
  choice.status = Status::kOk;
  choice.chosen = chosen->law;
  return choice;
}

}  // namespace scalestudy::stats

#include "stats/survival.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

constexpr double kMostDivisions = 200000.0;

bool are_valid(std::span<const Lifetime> lifetimes) {
  return std::ranges::all_of(lifetimes, [](const Lifetime& one) { return is_positive(one.time); });
}

// In order of time; at equal times events come before censored lifetimes, which outlive them.
std::vector<Lifetime> in_order(std::span<const Lifetime> lifetimes) {
  std::vector<Lifetime> sorted(lifetimes.begin(), lifetimes.end());
  std::ranges::sort(sorted, [](const Lifetime& one, const Lifetime& other) {
    return one.time != other.time ? one.time < other.time : one.has_event && !other.has_event;
  });
  return sorted;
}

// Events at one time and lifetimes that reach it, both of them in a and b together.
struct EventTime {
  double time = 0.0;
  std::size_t at_risk = 0;
  std::size_t events = 0;
};

std::vector<EventTime> event_times(const std::vector<Lifetime>& sorted) {
  std::vector<EventTime> times;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (!sorted[i].has_event) {
      continue;
    }
    if (times.empty() || times.back().time != sorted[i].time) {
      times.push_back({sorted[i].time, sorted.size() - i, 0});
    }
    ++times.back().events;
  }
  return times;
}

// exp(-exp(centre + shift)), the scale of the interval turned back.
double survival_at(double centre, double shift) {
  return std::exp(-std::exp(centre + shift));
}

// The log-rank score: what a lifetime adds to the events of its group beyond those expected.
std::vector<double> scores_of(const std::vector<Lifetime>& pooled,
                              const std::vector<EventTime>& times) {
  std::vector<double> scores;
  for (const Lifetime& one : pooled) {
    double hazard = 0.0;
    for (const EventTime& at : times) {
      hazard += at.time <= one.time
                    ? static_cast<double>(at.events) / static_cast<double>(at.at_risk)
                    : 0.0;
    }
    scores.push_back((one.has_event ? 1.0 : 0.0) - hazard);
  }
  return scores;
}

double divisions(std::size_t n, std::size_t of) {
  double count = 1.0;
  for (std::size_t i = 0; i < of; ++i) {
    count = count * static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return std::round(count);
}

// The share of all choices of `size` scores whose sum is at least as far from 0 as `observed`, and
// the smallest such share that any choice has.
struct Permuted {
  double p = 1.0;
  double least_p = 1.0;
};

Permuted permute(const std::vector<double>& scores, std::size_t size, double observed) {
  std::vector<double> sums;
  std::vector<std::size_t> chosen(size);
  for (std::size_t i = 0; i < size; ++i) {
    chosen[i] = i;
  }
  while (true) {
    double sum = 0.0;
    for (const std::size_t i : chosen) {
      sum += scores[i];
    }
    sums.push_back(std::abs(sum));
    std::size_t last = size;
    while (last > 0 && chosen[last - 1] == scores.size() - size + last - 1) {
      --last;
    }
    if (last == 0) {
      break;
    }
    ++chosen[last - 1];
    for (std::size_t i = last; i < size; ++i) {
      chosen[i] = chosen[i - 1] + 1;
    }
  }
  const auto share = [&](double least) {
    const double bound = least - 1e-9 * (1.0 + least);  // equal but for rounding
    const auto count = std::ranges::count_if(sums, [&](double sum) { return sum >= bound; });
    return static_cast<double>(count) / static_cast<double>(sums.size());
  };
  return {share(std::abs(observed)), share(*std::ranges::max_element(sums))};
}

// The variance of the excess, each time of an event by itself (hypergeometric).
double excess_variance(const std::vector<EventTime>& times, std::span<const Lifetime> b) {
  double variance = 0.0;
  for (const EventTime& at : times) {
    const auto n = static_cast<double>(at.at_risk);
    const auto events = static_cast<double>(at.events);
    const auto of_b = static_cast<double>(
        std::ranges::count_if(b, [&](const Lifetime& one) { return one.time >= at.time; }));
    if (n > 1.0) {
      variance += events * (of_b / n) * (1.0 - of_b / n) * (n - events) / (n - 1.0);
    }
  }
  return variance;
}

}  // namespace

std::vector<SurvivalStep> kaplan_meier(std::span<const Lifetime> lifetimes, double level) {
  std::vector<SurvivalStep> steps;
  if (!are_valid(lifetimes) || !is_level(level)) {
    return steps;
  }
  const double z = normal_quantile(0.5 + level / 2.0);
  double survival = 1.0;
  double greenwood = 0.0;
  for (const EventTime& at : event_times(in_order(lifetimes))) {
    const auto n = static_cast<double>(at.at_risk);
    const auto events = static_cast<double>(at.events);
    survival *= (n - events) / n;
    SurvivalStep step{at.time, at.at_risk, at.events, survival, {}, {}};
    if (at.events < at.at_risk) {
      greenwood += events / (n * (n - events));
      const double centre = std::log(-std::log(survival));
      const double shift = z * std::sqrt(greenwood) / -std::log(survival);
      step.lo = survival_at(centre, shift);
      step.hi = survival_at(centre, -shift);
    }
    steps.push_back(step);
  }
  return steps;
}

MedianLifetime median_lifetime(std::span<const Lifetime> lifetimes, double level) {
  MedianLifetime result;
  result.n = lifetimes.size();
  if (!are_valid(lifetimes) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  // A product such as 3/4 x 2/3 may miss 1/2 by its rounding.
  constexpr double rounding = 1e-12;
  constexpr double half = 0.5 + rounding;
  bool is_half = false;  // the curve is 1/2 since the step before
  for (const SurvivalStep& step : kaplan_meier(lifetimes, level)) {
    result.events += step.events;
    if (is_half) {
      result.median = 0.5 * (*result.median + step.time);
    }
    is_half = !result.median && std::abs(step.survival - 0.5) <= rounding;
    if (!result.median && step.survival <= half) {
      result.median = step.time;
    }
    if (!result.lo && (!step.lo || *step.lo <= half)) {
      result.lo = step.time;
    }
    if (!result.hi && step.hi && *step.hi <= half) {
      result.hi = step.time;
    }
  }
  result.status = result.n == 0   ? Status::kInsufficientData
                  : result.median ? Status::kOk
                                  : Status::kNotReached;
  // All of n lie on one side of the true median with 2^-n each; less than that cannot be promised.
  // The upper limit of so few never falls to 1/2, so that hi is absent anyway.
  if (result.n > 0 &&
      std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(result.n, 1000))) > 1.0 - level) {
    result.lo.reset();
    result.status = result.median ? Status::kUnattainable : Status::kNotReached;
  }
  return result;
}

LogRank log_rank(std::span<const Lifetime> a, std::span<const Lifetime> b) {
  LogRank result;
  if (!are_valid(a) || !are_valid(b)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  std::vector<Lifetime> pooled(b.begin(), b.end());
  pooled.insert(pooled.end(), a.begin(), a.end());
  const std::vector<EventTime> times = event_times(in_order(pooled));
  if (a.empty() || b.empty() || times.empty()) {
    return result;
  }
  const std::vector<double> scores = scores_of(pooled, times);
  for (std::size_t i = 0; i < b.size(); ++i) {
    result.excess += scores[i];
  }
  result.status = Status::kOk;
  result.is_exact = divisions(pooled.size(), b.size()) <= kMostDivisions;
  if (result.is_exact) {
    const Permuted permuted = permute(scores, b.size(), result.excess);
    result.p = permuted.p;
    result.least_p = permuted.least_p;
  } else if (const double variance = excess_variance(times, b); variance > 0.0) {
    result.p = chi_squared_upper_tail(result.excess * result.excess / variance, 1.0);
  }
  return result;
}

}  // namespace scalestudy::stats

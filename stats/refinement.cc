#include "stats/refinement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/stopping.h"

namespace scalestudy::stats {
namespace {

// The values from one end of the bracket to the other, both included.
std::vector<TestedValue> inside(std::span<const TestedValue> values, const Bracket& bracket) {
  std::vector<TestedValue> kept;
  std::ranges::copy_if(values, std::back_inserter(kept), [&](const TestedValue& value) {
    return value.x >= *bracket.lo && value.x <= *bracket.hi;
  });
  return kept;
}

double log_extent(const std::vector<Piece>& set) {
  return set.empty() ? 0.0 : std::log(set.back().hi / set.front().lo);
}

// hi / lo of an interval of that width around its middle, as a logarithm.
double log_width(double width) {
  return std::log((1.0 + width / 2.0) / (1.0 - width / 2.0));
}

double width_of_log(double extent) {
  return 2.0 * std::tanh(extent / 2.0);
}

// The untried multiple of the grid nearest to the geometric middle of the bracket, inside it.
std::optional<double> middle_on_grid(const Bracket& bracket,
                                     double grid,
                                     std::span<const double> tried) {
  const double middle = std::sqrt(*bracket.lo) * std::sqrt(*bracket.hi);
  const double below = std::floor(middle / grid) * grid;
  const bool is_below_nearer = below > 0.0 && middle / below < (below + grid) / middle;
  std::vector<double> candidates{below, below + grid};
  if (!is_below_nearer) {
    std::ranges::reverse(candidates);
  }
  for (const double x : candidates) {
    if (x > *bracket.lo && x < *bracket.hi && std::ranges::find(tried, x) == tried.end()) {
      return x;
    }
  }
  return std::nullopt;
}

// Distance in ln x of the tested values on either side of x.
double log_gap_around(std::span<const TestedValue> values, double x) {
  const auto right = std::ranges::lower_bound(values, x, {}, &TestedValue::x);
  return std::log(right->x / std::prev(right)->x);
}

std::optional<std::size_t> trials_for(const std::vector<TestedValue>& values,
                                      double level,
                                      double width) {
  double variance = 0.0;
  for (const TestedValue& value : values) {
    variance += value.se * value.se * (value.df + 1.0) / static_cast<double>(values.size());
  }
  const double slope =
      std::abs(values.back().g - values.front().g) / std::log(values.back().x / values.front().x);
  return sample_size_ci(std::sqrt(variance) / slope, log_width(width) / 2.0, level).n;
}

// Whether what noise alone leaves (set_linear) is wider than asked for and most of the interval.
// Then a further value would not make the interval narrower, as where noise is as wide as the gap
// that the value is in. Values nearer to each other would make it wider: their second differences
// are noise.
bool is_mostly_noise(const Threshold& threshold, double width) {
  constexpr double most = 1.5;
  const double noise = log_extent(threshold.set_linear);
  return noise > log_width(width) && log_extent(threshold.set_curvature) < most * noise;
}

// Of the interval, where it is one that carries its level.
std::optional<double> width_of(std::span<const TestedValue> values, const Threshold& threshold) {
  if (!is_ladder(values) || threshold.set_curvature.empty() || is_at_end(threshold, values) ||
      threshold.censored_low || threshold.censored_high) {
    return std::nullopt;
  }
  return width_of_log(log_extent(threshold.set_curvature));
}

}  // namespace

RefineStep refine(std::span<const TestedValue> values,
                  const Threshold& threshold,
                  std::span<const double> tried,
                  double level,
                  const RefineGoal& goal) {
  RefineStep step;
  if (threshold.status != Status::kCrossed && threshold.status != Status::kCrossedDown) {
    const bool is_outside =
        threshold.status == Status::kAlways || threshold.status == Status::kNotReached;
    step.step = is_outside ? Refinement::kOutside : Refinement::kNoBracket;
    return step;
  }
  const std::vector<TestedValue> bracketed = inside(values, threshold.bracket);
  step.width = width_of(values, threshold);
  step.trials = trials_for(bracketed, level, goal.width);
  if (step.width && *step.width <= goal.width) {
    step.step = Refinement::kReached;
    return step;
  }
  const std::optional<double> next = middle_on_grid(threshold.bracket, goal.grid, tried);
  const double noise = log_extent(threshold.set_linear);
  if (!next) {
    step.step = Refinement::kGrid;
  } else if (log_gap_around(bracketed, *next) <= noise) {
    step.step = Refinement::kNoise;
  } else if (step.width && is_mostly_noise(threshold, goal.width)) {
    step.step = Refinement::kNoise;
    step.noise = width_of_log(noise);
  } else if (goal.most == 0) {
    step.step = Refinement::kMostValues;
  } else {
    step.step = Refinement::kNext;
    step.next = next;
  }
  return step;
}

}  // namespace scalestudy::stats

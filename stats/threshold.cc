#include "stats/threshold.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/isotonic.h"
#include "stats/threshold_set.h"

namespace scalestudy::stats {
namespace {

bool is_valid(std::span<const TestedValue> values, double target, double level) {
  if (!std::isfinite(target) || !is_level(level)) {
    return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TestedValue& value = values[i];
    if (!is_positive(value.x) || !std::isfinite(value.g) || !std::isfinite(value.se) ||
        !(value.se >= 0.0) || !(value.df > 0.0) || !(value.level >= 0.0 && value.level < 1.0) ||
        (i > 0 && !(value.x > values[i - 1].x))) {
      return false;
    }
  }
  return true;
}

int sign_of(const TestedValue& value, double target, double level) {
  const double margin = student_t_critical(level_of(value, level), value.df) * value.se;
  const double height = value.g - target;
  if (height - margin > 0.0) {
    return 1;
  }
  return height + margin < 0.0 ? -1 : 0;
}

// Positions of the resolved tested values, and how often the sign changes along them.
struct SignSequence {
  std::vector<std::size_t> resolved;
  std::vector<std::size_t> changes;  // index into `resolved` of the first value after a change
};

SignSequence sequence_of(std::span<const int> signs) {
  SignSequence sequence;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == 0) {
      continue;
    }
    if (!sequence.resolved.empty() && signs[sequence.resolved.back()] != signs[i]) {
      sequence.changes.push_back(sequence.resolved.size());
    }
    sequence.resolved.push_back(i);
  }
  return sequence;
}

Status status_of(std::span<const int> signs, const SignSequence& sequence) {
  if (sequence.changes.size() > 1) {
    return Status::kMultiple;
  }
  if (sequence.changes.size() == 1) {
    return signs[sequence.resolved.front()] < 0 ? Status::kCrossed : Status::kCrossedDown;
  }
  if (sequence.resolved.size() < signs.size()) {
    return Status::kUnresolved;
  }
  return signs.front() > 0 ? Status::kAlways : Status::kNotReached;
}

std::optional<double> largest_x(std::span<const TestedValue> values,
                                std::span<const int> signs,
                                int sign) {
  for (std::size_t i = values.size(); i > 0; --i) {
    if (signs[i - 1] == sign) {
      return values[i - 1].x;
    }
  }
  return std::nullopt;
}

std::optional<double> smallest_x(std::span<const TestedValue> values,
                                 std::span<const int> signs,
                                 int sign) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (signs[i] == sign) {
      return values[i].x;
    }
  }
  return std::nullopt;
}

Bracket bracket_of(std::span<const TestedValue> values,
                   const Threshold& result,
                   const SignSequence& sequence,
                   Direction direction) {
  switch (result.status) {
    case Status::kCrossed:
    case Status::kCrossedDown: {
      const std::size_t after = sequence.changes.front();
      return {.lo = values[sequence.resolved[after - 1]].x,
              .hi = values[sequence.resolved[after]].x};
    }
    case Status::kAlways:
      return {.lo = std::nullopt, .hi = values.front().x};
    case Status::kNotReached:
      return {.lo = values.back().x, .hi = std::nullopt};
    case Status::kUnresolved: {
      if (direction == Direction::kAny) {
        return {};
      }
      const int before = direction == Direction::kIncreasing ? -1 : 1;
      return {.lo = largest_x(values, result.signs, before),
              .hi = smallest_x(values, result.signs, -before)};
    }
    default:
      return {};
  }
}

Bracket span_of(std::span<const TestedValue> values, const Threshold& result) {
  if (result.status != Status::kCrossed && result.status != Status::kCrossedDown) {
    return result.bracket;
  }
  const auto at = [&](std::size_t i) {
    return result.signs[i] == 0 ? std::nullopt : std::optional(values[i].x);
  };
  std::size_t first = 0;
  while (result.signs[first + 1] != 0 && result.signs[first + 1] == result.signs.front()) {
    ++first;
  }
  std::size_t last = values.size() - 1;
  while (result.signs[last - 1] != 0 && result.signs[last - 1] == result.signs.back()) {
    --last;
  }
  return {.lo = at(first), .hi = at(last)};
}

// 1/se^2 up to a common factor. A tested value without spread gets a large finite weight.
std::vector<double> weights_of(std::span<const TestedValue> values) {
  double least = 0.0;
  for (const TestedValue& value : values) {
    if (value.se > 0.0 && (least == 0.0 || value.se < least)) {
      least = value.se;
    }
  }
  constexpr double exact_weight = 1e12;
  std::vector<double> weights;
  for (const TestedValue& value : values) {
    const double relative = value.se > 0.0 ? least / value.se : 0.0;
    weights.push_back(value.se > 0.0 ? std::max(relative * relative, 1e-300) : exact_weight);
  }
  return weights;
}

// Zero of the interpolant in ln x of the monotone fit; absent when pooling left no zero inside.
std::optional<double> isotonic_zero(std::span<const TestedValue> values,
                                    double target,
                                    bool is_rising) {
  const double orientation = is_rising ? 1.0 : -1.0;
  std::vector<double> heights;
  for (const TestedValue& value : values) {
    heights.push_back(orientation * (value.g - target));
  }
  const std::vector<double> fit = isotonic(heights, weights_of(values)).fit;
  for (std::size_t i = 0; i + 1 < fit.size(); ++i) {
    if (fit[i] < 0.0 && fit[i + 1] >= 0.0) {
      const double w = fit[i] / (fit[i] - fit[i + 1]);
      return std::exp((1.0 - w) * std::log(values[i].x) + w * std::log(values[i + 1].x));
    }
  }
  return std::nullopt;
}

std::vector<double> zeros_of(std::span<const TestedValue> values, double target) {
  std::vector<double> zeros;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double here = values[i].g - target;
    if (here == 0.0) {
      zeros.push_back(values[i].x);
    } else if (i + 1 < values.size() && here * (values[i + 1].g - target) < 0.0) {
      const double w = here / (values[i].g - values[i + 1].g);
      zeros.push_back(std::exp((1.0 - w) * std::log(values[i].x) + w * std::log(values[i + 1].x)));
    }
  }
  return zeros;
}

}  // namespace

Threshold threshold_piecewise(std::span<const TestedValue> values,
                              double target,
                              double level,
                              Direction direction) {
  Threshold result;
  if (!is_valid(values, target, level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (values.size() < 2) {
    return result;
  }
  for (const TestedValue& value : values) {
    result.signs.push_back(sign_of(value, target, level));
  }
  const SignSequence sequence = sequence_of(result.signs);
  result.status = status_of(result.signs, sequence);
  result.bracket = bracket_of(values, result, sequence, direction);
  result.span = span_of(values, result);
  if (result.status == Status::kCrossed || result.status == Status::kCrossedDown) {
    result.estimate = isotonic_zero(values, target, result.status == Status::kCrossed);
  }
  result.crossings = zeros_of(values, target);
  result.set_linear = threshold_set(values, target, level, Interpolant::kStraight);
  result.set_curvature = threshold_set(values, target, level, Interpolant::kCurved);
  if (!result.set_curvature.empty()) {
    result.censored_low = result.set_curvature.front().lo == values.front().x;
    result.censored_high = result.set_curvature.back().hi == values.back().x;
  }
  return result;
}

bool is_ladder(std::span<const TestedValue> values) {
  constexpr double widest_step = 2.0 * (1.0 + 1e-9);
  const auto is_too_wide = [](const TestedValue& left, const TestedValue& right) {
    return right.x > widest_step * left.x;
  };
  return values.size() >= kLeastOfLadder &&
         std::ranges::adjacent_find(values, is_too_wide) == values.end();
}

bool is_at_end(const Threshold& threshold, std::span<const TestedValue> values) {
  const bool is_crossing =
      threshold.status == Status::kCrossed || threshold.status == Status::kCrossedDown;
  if (!is_crossing && threshold.status != Status::kMultiple) {
    return false;
  }
  const double second = values[1].x;
  const double second_last = values[values.size() - 2].x;
  const auto is_beyond = [&](double x) { return x < second || x > second_last; };
  if (!is_crossing) {
    return std::ranges::any_of(threshold.crossings, is_beyond);
  }
  return threshold.estimate ? is_beyond(*threshold.estimate)
                            : threshold.bracket.hi == second || threshold.bracket.lo == second_last;
}

}  // namespace scalestudy::stats

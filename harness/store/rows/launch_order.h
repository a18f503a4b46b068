// The number that orders the launches of imported trials, as a position.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace scalestudy {

// Whole numbers from 0 on are positions themselves. Positions from kFirstFraction on are of other
// numbers, in millionths counted from kFractionZero. The view `trials` has the numbers.
inline constexpr std::int64_t kFirstFraction = 4'000'000'000'000'000'000;
inline constexpr std::int64_t kFractionZero = 6'500'000'000'000'000'000;

// The position of a number; absent if it is too large.
inline std::optional<std::int64_t> position_of(double number) {
  constexpr double most_whole = 1e15;  // doubles of this size are still exact
  constexpr double most = 2.4e12;
  const double rounded = std::abs(number) < most ? std::round(number * 1e6) / 1e6 : number;
  if (rounded >= 0.0 && rounded < most_whole && rounded == std::floor(rounded)) {
    return static_cast<std::int64_t>(rounded);
  }
  return std::abs(number) < most ? std::optional(kFractionZero + std::llround(number * 1e6))
                                 : std::nullopt;
}

// The number of a position, as its whole part and millionths. These are in the order of launches.
inline std::pair<std::int64_t, std::int64_t> launch_order(std::int64_t position) {
  if (position < kFirstFraction) {
    return {position, 0};
  }
  constexpr std::int64_t one = 1'000'000;
  const std::int64_t millionths = position - kFractionZero;
  const std::int64_t rest = (millionths % one + one) % one;
  return {(millionths - rest) / one, rest};
}

}  // namespace scalestudy

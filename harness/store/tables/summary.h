// Summary columns of a series, and its values as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// Whether a step can have taken so long. No clock tells a shorter time and no trial lasts longer.
constexpr bool is_step_time(double seconds) {
  return seconds >= 1e-12 && seconds <= 1e12;
}

// Whether statistics can be made of the value: its fourth power stays within a double.
constexpr bool is_computable(double value) {
  const double size = value < 0.0 ? -value : value;
  return value == 0.0 || (size >= 1e-60 && size <= 1e60);
}

// Over the measured values, in the series' unit.
struct SeriesSummary {
  std::int64_t n = 0;
  std::optional<double> mean;  // absent when n = 0, like all below
  std::optional<double> sd;  // absent when n < 2; divided by n - 1. Of steps, which are correlated:
                             // describes the trial, no interval may be made of it
  std::optional<double> min;
  std::optional<double> p50;
  std::optional<double> p95;
  std::optional<double> p99;
  std::optional<double> max;
};

// A statistic that overflows (values near the largest double) is absent too.
//   source  quantiles: Hyndman & Fan (1996) type 7, as in R, NumPy and Excel.
SeriesSummary summarise(std::span<const double> measured);

// "[0.5,0.25]"; every number reads back to the same bits. Throws std::logic_error for one that is
// not finite.
std::string format_values(std::span<const double> values);

// The inverse; nullopt when `text` is not an array of finite numbers.
std::optional<std::vector<double>> parse_values(std::string_view text);

}  // namespace scalestudy

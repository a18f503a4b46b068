// Summary columns of a series, and its values as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// Whether a step can have taken that long: no clock shows a shorter time, no trial lasts longer.
constexpr bool is_step_time(double seconds) {
  return seconds >= 1e-12 && seconds <= 1e12;
}

// Whether statistics can be computed from the value: its fourth power stays within a double.
constexpr bool is_computable(double value) {
  const double size = value < 0.0 ? -value : value;
  return value == 0.0 || (size >= 1e-60 && size <= 1e60);
}

// Statistics of a series' measured values, in its unit.
struct SeriesSummary {
  std::int64_t n = 0;
  std::optional<double> mean;  // absent if n = 0, like all below
  // Divided by n - 1; absent if n < 2. Steps are correlated, so it describes the trial, but no
  // interval may be computed from it.
  std::optional<double> sd;
  std::optional<double> min;
  std::optional<double> p50;
  std::optional<double> p95;
  std::optional<double> p99;
  std::optional<double> max;
};

// Summarises measured values. A statistic that overflows (values near the largest double) is
// absent.
// - source: quantiles are Hyndman & Fan (1996) type 7, as in R, NumPy and Excel.
SeriesSummary summarise(std::span<const double> measured);

// Writes values as "[null,0.5,0.25]". Every number reads back to the same bits. A missing value of
// the warm-up, which is NaN, becomes null. Throws std::logic_error for an infinite number.
std::string format_values(std::span<const double> values);

// Whether no value after the warm-up is missing.
bool has_all_measured(std::span<const double> values, int warmup);

// Whether both series have the same values, missing ones included.
bool same_values(std::span<const double> a, std::span<const double> b);

// The inverse of format_values; nullopt if `text` is not an array of finite numbers and nulls.
std::optional<std::vector<double>> parse_values(std::string_view text);

}  // namespace scalestudy

// The input checks every method starts with.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace scalestudy::stats {

inline bool is_positive(double value) {
  return value > 0.0 && std::isfinite(value);
}

// Whether this can be a confidence level, which lies in (0, 1): 95 is not 0.95.
inline bool is_level(double level) {
  return level > 0.0 && level < 1.0;
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Whether all values are finite and > 0, as times, rates and sizes must be.
inline bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), is_positive);
}

// Whether every trial has at least one step and every step time is positive.
inline bool all_trials_positive(std::span<const std::vector<double>> trials) {
  return std::all_of(trials.begin(), trials.end(), [](const std::vector<double>& steps) {
    return !steps.empty() && all_positive(steps);
  });
}

}  // namespace scalestudy::stats

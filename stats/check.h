// The input checks every method starts with.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace scalestudy::stats {

inline bool all_finite(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return false;
    }
  }
  return true;
}

// Finite and > 0: what a time, a rate or a size must be.
inline bool all_positive(std::span<const double> values) {
  for (const double value : values) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      return false;
    }
  }
  return true;
}

// A confidence level is in (0, 1): 95 is not 0.95.
inline bool is_level(double level) {
  return level > 0.0 && level < 1.0;
}

inline bool is_positive(double value) {
  return value > 0.0 && std::isfinite(value);
}

// Every trial has at least one step and every step time is positive.
inline bool all_trials_positive(std::span<const std::vector<double>> trials) {
  for (const std::vector<double>& steps : trials) {
    if (steps.empty() || !all_positive(steps)) {
      return false;
    }
  }
  return true;
}

}  // namespace scalestudy::stats

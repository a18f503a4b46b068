// Serial fraction of a weak-scaling curve.
#pragma once

#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct GustafsonLine {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> serial_fraction;
  std::optional<double> se;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> df;  // points - 1
};

// Fits n - S = s (n - 1) through the origin: n devices of each trial, >= 1, S its scaled speedup, >
// 0. insufficient_data: fewer than 2 points; degenerate: every n is 1. Source: Gustafson 1988.
GustafsonLine gustafson_line(std::span<const double> n,
                             std::span<const double> scaled_speedup,
                             double level);

}  // namespace scalestudy::stats

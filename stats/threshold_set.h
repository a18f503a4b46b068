// Test inversion along an interpolated curve: the set of x that could be the crossing.
#pragma once

#include <span>
#include <vector>

#include "stats/threshold.h"

namespace scalestudy::stats {

enum class Interpolant {
  kStraight,  // straight in ln x between tested values
  kCurved,    // kStraight plus the interpolation error w(1-w) h^2 M / 2, M from second differences
};

// The value's own level, or that of its curve.
inline double level_of(const TestedValue& value, double level) {
  return value.level > 0.0 ? value.level : level;
}

// The x at which g(x) = target is not rejected at `level`, as disjoint pieces in increasing order;
// touching pieces are joined. Values as threshold_piecewise has checked them, 2 or more.
std::vector<Piece> threshold_set(std::span<const TestedValue> values,
                                 double target,
                                 double level,
                                 Interpolant interpolant);

}  // namespace scalestudy::stats

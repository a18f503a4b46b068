// Where a series of values changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct ChangePoint {
  std::size_t first = 0;  // index of the first value after the change
  // The range of `first` that 95 % of resampled series lie in: how sure the place is.
  std::size_t earliest = 0;
  std::size_t latest = 0;
  double p = 1.0;  // of the permutation test that found it
};

struct ChangePoints {
  Status status = Status::kInsufficientData;
  std::vector<ChangePoint> points;  // ascending; empty: none found
  // The lag-1 autoregression coefficient that splits were tested against; 0 if none was tested.
  double dependence = 0.0;
  bool wanders = false;  // a split was dropped, because this dependence explains it as well
};

// Hierarchical bisection by the energy statistic (E-divisive, exponent 1). The split that separates
// two parts of a segment most is a change if at most a share `alpha` of permutations inside the
// segments separate as much. Its place is the best split with two values or more a side, and the
// search goes on within the segments. A change stays only if autoregressions without a change, as
// dependent as the values, rarely (`alpha`) separate as much (METHODS.md, Changes and periods).
// Source: Matteson & James 2014.
// - values: in order of time, any unit; between changes independent or autoregressive.
// - alpha: in (0, 1), how often a series without a change may be given one.
// - least: fewest values on a side of a split that is tested, >= 2.
// - seed: of the permutations; equal arguments give equal results.
// - status: invalid_input for values that are not finite, alpha or least out of range;
//   insufficient_data for fewer than 2 * least values.
ChangePoints change_points(std::span<const double> values,
                           double alpha,
                           std::size_t least,
                           std::uint64_t seed);

}  // namespace scalestudy::stats

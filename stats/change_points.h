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
  // The set of places of `first` that 95 % of resampled series have: how sure the place is.
  std::size_t earliest = 0;
  std::size_t latest = 0;
  double p = 1.0;  // of the permutation test that found it
};

struct ChangePoints {
  Status status = Status::kInsufficientData;
  std::vector<ChangePoint> points;  // ascending; empty: none found
  // What a value keeps of the one before it, where a change was looked for in earnest.
  double dependence = 0.0;
  bool wanders = false;  // a split was dropped, since such dependence explains it as well
};

// Hierarchical bisection by the energy statistic (E-divisive, exponent 1): of all segments the
// split that sets two of them apart most is a change when at most a share `alpha` of permutations
// inside the segments are set apart as much; then the same again within the segments. Of these
// changes only those stay that as small a share of autoregressions without a change, as dependent
// as the values, is set apart as much by (METHODS.md, Sessions).
//   values  in order of time, any unit; but for the changes independent or of an autoregression.
//   alpha   in (0, 1): how often a series without a change may be given one.
//   least   values between two changes, >= 2.
//   seed    of the permutations: equal arguments give equal results.
// invalid_input for values that are not finite, alpha or least out of range; insufficient_data
// below 2 least values. Source: Matteson & James 2014.
ChangePoints change_points(std::span<const double> values,
                           double alpha,
                           std::size_t least,
                           std::uint64_t seed);

}  // namespace scalestudy::stats

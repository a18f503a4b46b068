// The effect of one factor, averaged over the combinations of others that it is crossed with.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/ratio_interval.h"

namespace scalestudy::stats {

// Both levels of the factor at one combination of the others: one value per trial, > 0, in the
// order of blocks.
struct CrossedPair {
  std::vector<double> a;
  std::vector<double> b;
};

struct FactorEffect {
  // The geometric mean over combinations of mean(a) / mean(b). n_a and n_b count the values of all
  // combinations or, if blocks are complete, the blocks.
  RatioInterval ratio;
  std::vector<double> ratios;  // mean(a) / mean(b) of each combination
  // Each combination's ratio over the geometric mean of the others': 1 means that the effect is the
  // same there. Empty if `ratio` has no interval. With two combinations the second is the
  // reciprocal of the first.
  std::vector<RatioInterval> apart;
};

// The p values of `apart` say whether the effect is the same everywhere. Adjust them for their
// number; two combinations count as one. A single pair has the ratio and interval of
// log_ratio_delta(_paired).
//
//   is_blocked  all values of one place are of one block, which then cancels: n - 1 degrees of
//               freedom, no assumption about how combinations spread. Else all values are
//               independent, with Satterthwaite's degrees of freedom.
//   status      as log_ratio_delta(_paired); insufficient_data without a pair.
//   source      METHODS.md, Two cells.
FactorEffect factor_effect(std::span<const CrossedPair> pairs, bool is_blocked, double level);

}  // namespace scalestudy::stats

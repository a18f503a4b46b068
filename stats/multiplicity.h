// Adjusted p values for a declared family of comparisons.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

enum class Adjustment {
  kHolm,        // family-wise, the default
  kBh,          // Benjamini-Hochberg false discovery rate, for screening sweeps
  kBonferroni,  // family-wise
};

struct AdjustedP {
  Status status = Status::kOk;
  std::vector<std::optional<double>> adjusted;  // in the order given; absent stays absent
};

// A missing p value is not a member of the family and does not count in its size. Empty in, empty
// out. invalid_input, without values, when a p is outside [0, 1]. Source: Holm 1979, Benjamini &
// Hochberg 1995; R's p.adjust.
AdjustedP p_adjust(std::span<const std::optional<double>> p, Adjustment method);

}  // namespace scalestudy::stats

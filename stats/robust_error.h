// The error of a fitted parameter where trials spread otherwise from cell to cell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace scalestudy::stats {

// What the trials of a fit share, each as long as its points; any numbers.
struct TrialGroups {
  std::span<const std::int64_t> cells;
  std::span<const std::int64_t>
      blocks;  // whose effects were taken out; empty: trials are independent
};

struct RobustError {
  double se = 0.0;
  double df = 0.0;
};

// With blocks: the sums of influence * residual over each block that holds two trials or more, as
// independent values, blocks - 1 degrees of freedom. Without: the spread inside each cell, added
// up, Welch-Satterthwaite.
//
//   influence  what each residual adds to the parameter: a row of (J'J)^-1 J'.
//   residuals  of the fit, as long.
//   returns    nothing below two such blocks, or where a cell has a single trial.
//   source     Liang & Zeger 1986 (sums by group); Welch 1947. METHODS.md, Curves.
std::optional<RobustError> robust_error(std::span<const double> influence,
                                        std::span<const double> residuals,
                                        const TrialGroups& groups);

}  // namespace scalestudy::stats

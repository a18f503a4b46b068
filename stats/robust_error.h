// The standard error of a fitted parameter if the spread of trials differs from cell to cell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace scalestudy::stats {

// The cell and the block of each point of a fit, as any numbers.
struct TrialGroups {
  std::span<const std::int64_t> cells;
  // Blocks whose effects were taken out; empty: trials are independent.
  std::span<const std::int64_t> blocks;
};

struct RobustError {
  double se = 0.0;
  double df = 0.0;
};

// With blocks: takes the sums of influence * residual over each block of two trials or more as
// independent values, with blocks - 1 degrees of freedom. Without: adds up the spread inside each
// cell, degrees of freedom by Welch-Satterthwaite.
//
//   influence  what each residual adds to the parameter: a row of (J'J)^-1 J'.
//   residuals  of the fit, as long as `influence`.
//   returns    nothing for fewer than two such blocks, or if a cell has a single trial.
//   source     Liang & Zeger 1986 (sums by group); Welch 1947. METHODS.md, Curves.
std::optional<RobustError> robust_error(std::span<const double> influence,
                                        std::span<const double> residuals,
                                        const TrialGroups& groups);

}  // namespace scalestudy::stats

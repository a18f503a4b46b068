// Where the warm-up of a series ends.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct SteadyState {
  Status status = Status::kInsufficientData;
  std::size_t batches = 0;
  std::optional<std::size_t> truncate_batches;
  std::optional<std::size_t> truncate_steps;
  std::optional<double> mser_min;
};

// MSER on batch means: the cut d in 0..k-5 that minimises sum_{i>d}(Z_i - mean_d)^2 / (k - d)^2,
// the first of equals.
//
//   x       one series per cell: the median over trials at each step. The cut of a single trial
//           follows its outliers.
//   batch   steps a batch, >= 1 (5 in MSER-5); an incomplete batch at the end is left out.
//   status  no_steady_state: the cut is beyond half the batches; not proof alone (11 % false), see
//           drift_slopes. insufficient_data: fewer than 10 batches. invalid_input: not finite,
//           batch 0.
//   source  White 1997; White, Cobb & Spratt 2000.
SteadyState mser5(std::span<const double> x, std::size_t batch = 5);

}  // namespace scalestudy::stats

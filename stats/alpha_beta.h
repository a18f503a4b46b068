// Latency and bandwidth of a communication operation.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct AlphaBetaFit {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> alpha_s;          // s
  std::optional<double> beta_s_per_byte;  // s/byte
  std::optional<double> se_alpha;
  std::optional<double> se_beta;
  std::optional<double> alpha_lo;
  std::optional<double> alpha_hi;
  std::optional<double> bandwidth_bytes_per_s;  // 1/beta; absent for beta <= 0
  std::optional<double> bandwidth_lo;
  std::optional<double> bandwidth_hi;  // absent when the interval of beta reaches 0
  std::optional<double> rel_residual_sd;
  std::optional<double> df;
};

// seconds = alpha + bytes beta with weights 1/seconds^2: sizes span decades, and unweighted fits
// make alpha meaningless. Speak only of sizes inside the measured range, and look at the residuals'
// signs: protocol switches make the curve piecewise.
//
//   df_taken  degrees of freedom that take_out_blocks has spent on the values already.
//   status    invalid_input: a size or time not > 0, unequal lengths, level; insufficient_data: no
//             degree of freedom left; degenerate: one size only.
//   source    Hockney 1994; weights: METHODS.md, Curves.
AlphaBetaFit alpha_beta_fit(std::span<const double> bytes,
                            std::span<const double> seconds,
                            double level,
                            std::size_t df_taken = 0);

}  // namespace scalestudy::stats

// Speedup, efficiency, overhead and cost ratio of one cell against its base.
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"
#include "stats/ratio_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

enum class ScalingMode {
  kStrong,  // global batch fixed: speedup = t_base / t_n
  kWeak,    // per-GPU batch fixed: efficiency = t_base / t_n
};

struct ScalingSummary {
  Status status = Status::kInsufficientData;
  Estimate speedup;
  Estimate efficiency;  // above 1 is shown, never clamped
  Estimate overhead;    // 1 - efficiency: contains everything, also input stalls
  Estimate cost_ratio;  // per sample at the same price: 1 / efficiency
  std::optional<double> df;
  bool superlinear = false;  // efficiency > 1
};

// All four are monotone maps of rho = t_base / t_n, end points included.
//
//   ratio      rho with its interval, from any method of ratio_interval.h. Its status is kept;
//              point estimates stay when the interval does not exist.
//   n_base, n  devices, > 0; else invalid_input. Source: METHODS.md, Two cells.
ScalingSummary scaling_from_ratio(ScalingMode mode,
                                  const RatioInterval& ratio,
                                  double n_base,
                                  double n);

// scaling_from_ratio of the log_ratio_delta of independent trials: their mean step times, s.
ScalingSummary scaling_summary(ScalingMode mode,
                               std::span<const double> t_base,
                               double n_base,
                               std::span<const double> t_n,
                               double n,
                               double level);

}  // namespace scalestudy::stats

// Interval within one launch: what T = 1 can say.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

struct BatchMeans {
  Status status = Status::kInsufficientData;
  std::size_t batches = 0;
  std::optional<std::size_t> batch_size;
  std::optional<std::size_t> dropped;  // steps left out at the front
  MeanInterval interval;               // of the batch means: "steps of this launch only"
};

// min(20, S/5) batches of equal size, the remainder left out at the front, t on the batch means.
//
//   x       step times of one launch in order, any unit.
//   status  insufficient_data: fewer than 5 batches (S < 25); else as mean_ci_t.
//   source  Schmeiser 1982. Says nothing about other launches.
BatchMeans batch_means_ci(std::span<const double> x, double level);

}  // namespace scalestudy::stats

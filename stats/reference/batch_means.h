// Interval of the mean step time within one launch, for cells with a single trial.
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

// t interval on the means of min(20, S/5) batches of equal size, S the number of steps; the
// remainder is left out at the front.
//
//   x       step times of one launch in order, any unit.
//   status  insufficient_data: fewer than 5 batches (S < 25); else as mean_ci_t.
//   source  Schmeiser 1982. Says nothing about other launches.
BatchMeans batch_means_ci(std::span<const double> x, double level);

}  // namespace scalestudy::stats

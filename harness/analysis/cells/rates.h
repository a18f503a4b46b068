// Rates that follow from a time: an amount of something over that of a step, a save or a load.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

struct Rate {
  std::string_view metric;
  std::string_view unit;
  double amount = 0.0;                // of a step, or of what the time is of; > 0
  std::string_view time = kStepTime;  // the metric that it is over
};

// Those that the cell has; none without a batch or, of a collective, without a size, and of
// checkpoints without any.
std::vector<Rate> rates_of(const CellObservation& cell);

// The amount behind that metric; absent when it is no rate of the cell over the time of a step.
std::optional<double> rate_amount(const CellObservation& cell, std::string_view metric);

}  // namespace scalestudy

// Rates that follow from the time of a step: an amount of something over it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/analysis/observation.h"

namespace scalestudy {

struct Rate {
  std::string_view metric;
  std::string_view unit;
  double amount = 0.0;  // of a step, > 0
};

// Those that the cell has; none without a batch or, of a collective, without a size.
std::vector<Rate> rates_of(const CellObservation& cell);

// The amount behind that metric; absent when it is no rate of the cell.
std::optional<double> rate_amount(const CellObservation& cell, std::string_view metric);

}  // namespace scalestudy

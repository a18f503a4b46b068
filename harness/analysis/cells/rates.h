// Rates that follow from a time: an amount of something over the time of a step, a save or a load.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

struct Rate {
  std::string_view metric;
  std::string_view unit;
  double amount = 0.0;                // amount of one step, save or load; > 0
  std::string_view time = kStepTime;  // the metric that the amount is divided by
};

// The rates of a cell. A rate is missing if its amount is: without a batch, without the size of a
// collective, without checkpoints.
std::vector<Rate> rates_of(const CellObservation& cell);

// The tokens of one step of all devices, also of a cell whose trials print tokens a second
// themselves; absent if no trial and no parameter says how many a sample has.
std::optional<double> tokens_of_step(const CellObservation& cell);

// The rate of that name whose mean the study asks for; absent if the metric is no rate of the cell,
// or if the study asks for its median.
std::optional<Rate> asked_rate(const CellObservation& cell,
                               const std::string& metric,
                               const Study& study);

// The trial's value of the metric; for such a rate, its amount over the trial's mean time. Absent
// if the trial has none.
std::optional<double> asked_value(const CellObservation& cell,
                                  const TrialObservation& trial,
                                  const MetricRequest& request,
                                  const Study& study);

// The amount of the rate of that name; absent if the metric is no rate of the cell over the step
// time.
std::optional<double> rate_amount(const CellObservation& cell, std::string_view metric);

}  // namespace scalestudy

// Money, time and energy from declared prices, calculated from step times and speedups.
#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// Steps of the training that cost.train declares, a number that need not be whole; absent without
// one, or if the cell has no samples or tokens to count.
std::optional<double> training_steps(const CellObservation& cell, const Study& study);

// Estimates that follow from `step_time`, the mean step time of `cell`. Each end of an interval
// follows from the time's end, since prices have no error. Empty without a price. `:NAME` names
// another price than the first.
// - cost_per_million_samples[:NAME], cost_per_million_tokens[:NAME].
// - declared_power_kw, throughput_per_kw, tokens_per_second_per_kw, energy_kwh_per_million_samples,
//   kg_co2_per_million_samples: scenarios, by declared power.
// - training_hours, training_kwh, training_energy_cost, training_kg_co2, training_cost[:NAME]: for
//   the training that cost.train declares, as are the next five.
// - training_device_hours: training_hours times the devices that it takes.
// - epoch_time_s: one pass over samples_per_epoch samples; absent if the trials measure it.
// - training_machine_cost[:NAME], training_line_cost:LINE: the cost's parts for machines and lines.
// - training_saving:NAME: the fraction by which that price costs less than the first.
std::vector<EstimateRow> cost_estimates(const EstimateRow& step_time,
                                        const CellObservation& cell,
                                        const Study& study);

// Estimates for each investment and each cell that has it and a speedup s over its base, where the
// base costs c an hour.
// - pays_after_hours:NAME: hours of work of the base after which the savings, c (1 - 1/s) an hour,
//   reach the investment's price; not_reached if s is 1 or less, no upper end if its interval
//   reaches 1.
// - gain_per_thousand:NAME: 1000 (s - 1) / price.
std::vector<EstimateRow> investment_estimates(const std::vector<ComparisonRow>& comparisons,
                                              const StudyObservation& observation,
                                              const Study& study);

// `cost_efficiency[:NAME]` of each cell that has a speedup: samples for the same cost over those of
// its base, at each price: speedup * price of the base / price of the cell.
std::vector<EstimateRow> cost_efficiencies(const std::vector<ComparisonRow>& comparisons,
                                           const StudyObservation& observation,
                                           const Study& study);

// What the study itself used, by cell, as sums without intervals: `device_hours_used`, the wall
// time of every attempt times its devices, and `energy_kwh_used` if trials have energy readings.
std::vector<EstimateRow> study_use(const Store& store, std::int64_t study_id);

}  // namespace scalestudy

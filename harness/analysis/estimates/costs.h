// Money, time and energy from declared prices, as maps of the time of a step and of speedups.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// What follows from a row that is the mean time of a step of `cell`; each end of an interval is the
// map of the time's end, prices have no error. Empty without a price. `:NAME` names another price.
//   cost_per_million_samples[:NAME], cost_per_million_tokens[:NAME]
//   declared_power_kw, throughput_per_kw, tokens_per_second_per_kw,
//   energy_kwh_per_million_samples, kg_co2_per_million_samples   by declared power: a scenario
//   training_hours, training_kwh, training_energy_cost, training_kg_co2, training_cost[:NAME],
//   of machines (training_machine_cost[:NAME]) and each line (training_line_cost:LINE), and
//   training_saving:NAME, its part less than at the first price  of what cost.train declares
std::vector<EstimateRow> cost_estimates(const EstimateRow& step_time,
                                        const CellObservation& cell,
                                        const Study& study);

// Of each investment and cell that has it and a speedup s over its base, which costs c an hour:
// `pays_after_hours:NAME`, hours of work of the base after which what is saved, c (1 - 1/s) an
// hour, is its price (not_reached where s is 1 or less; no upper end where its interval reaches 1),
// and `gain_per_thousand:NAME`, 1000 (s - 1) / price.
std::vector<EstimateRow> investment_estimates(const std::vector<ComparisonRow>& comparisons,
                                              const StudyObservation& observation,
                                              const Study& study);

// `cost_efficiency[:NAME]` of each cell that has a speedup: samples for the same cost over those of
// its base, at each price: speedup * price of the base / price of the cell.
std::vector<EstimateRow> cost_efficiencies(const std::vector<ComparisonRow>& comparisons,
                                           const StudyObservation& observation,
                                           const Study& study);

// What the study itself took, by cell: `device_hours_used`, wall time of every attempt by its
// devices, and where trials were told energy `energy_kwh_used`. Sums, without intervals.
std::vector<EstimateRow> study_use(const Store& store, std::int64_t study_id);

}  // namespace scalestudy

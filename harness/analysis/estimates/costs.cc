#include "harness/analysis/estimates/costs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/rates.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/rows/runs.h"
#include "harness/store/tables/summary.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kMillion = 1e6;
constexpr double kJoulesAKwh = 3.6e6;

// What follows from the time of a step.
struct TimeMaps {
  const EstimateRow& time;
  Provenance provenance = Provenance::kMeasured;
  std::vector<EstimateRow> rows;

  // offset + factor * time.
  void add(const std::string& metric, const std::string& unit, double factor, double offset = 0.0) {
    add_map(metric, unit, [&](double time_s) { return offset + factor * time_s; });
    rows.back().sd = time.sd ? std::optional(factor * *time.sd) : std::nullopt;
  }

  // Of a map that only rises or only falls with the time; without a spread between trials.
  void add_map(const std::string& metric,
               const std::string& unit,
               const std::function<double(double)>& map) {
    const auto at = [&](std::optional<double> x) {
      return x && *x > 0.0 ? std::optional(map(*x)) : std::nullopt;
    };
    EstimateRow row = time;
    row.metric = metric;
    row.unit = unit;
    row.value = at(time.value);
    row.lo = at(time.lo);
    row.hi = at(time.hi);
    // Two ends tell by themselves whether it falls: where it is constant, their roundings differ
    // from the value's either way.
    const bool falls = row.lo && row.hi ? *row.lo > *row.hi
                                        : row.value && ((row.lo && *row.lo > *row.value) ||
                                                        (row.hi && *row.hi < *row.value));
    if (falls) {
      std::swap(row.lo, row.hi);
    }
    row.sd = std::nullopt;
    row.provenance = provenance;
    rows.push_back(std::move(row));
  }
};

// A program may measure what it calls so itself.
bool measures(const CellObservation& cell, const std::string& metric) {
  return std::ranges::any_of(
      cell.trials, [&](const TrialObservation& trial) { return trial.metrics.contains(metric); });
}

void add_training(const Cost& cost, const CellObservation& observed, double steps, TimeMaps& maps) {
  const CellRow& cell = observed.row;
  const double hours = steps / kSecondsAnHour;  // for each second of a step
  maps.add("training_hours", "h", hours);
  maps.add("training_device_hours", "h", hours * static_cast<double>(cell.devices));
  if (cost.train->samples_per_epoch > 0.0 && !measures(observed, "epoch_time_s")) {
    maps.add("epoch_time_s", "s", steps * cost.train->samples_per_epoch / cost.train->samples);
  }
  double lines_an_hour = 0.0;
  double lines = 0.0;
  for (const CostLine& line : cost.lines) {
    maps.add(
        "training_line_cost:" + line.name, cost.currency, hours * line.per_hour, line.per_training);
    lines_an_hour += line.per_hour;
    lines += line.per_training;
  }
  const double first_an_hour = cost.price.per_hour(cell.devices, cell.nodes);
  for (const Price* price : prices_of(cost)) {
    const double an_hour = price->per_hour(cell.devices, cell.nodes);
    maps.add("training_machine_cost" + price_suffix(cost, *price), cost.currency, hours * an_hour);
    maps.add("training_cost" + price_suffix(cost, *price),
             cost.currency,
             hours * (an_hour + lines_an_hour),
             lines);
    if (price != &cost.price) {
      const auto total = [&](double machines, double time_s) {
        return hours * time_s * (machines + lines_an_hour) + lines;
      };
      maps.add_map("training_saving:" + price->name, "1", [&](double time_s) {
        return 1.0 - total(an_hour, time_s) / total(first_an_hour, time_s);
      });
    }
  }
}

double kilowatts(const EnergyUse& energy, const CellRow& cell) {
  return energy.watts_per_device * static_cast<double>(cell.devices) * energy.pue / 1000.0;
}

// By declared power: calculated, not measured.
void add_energy(const Cost& cost,
                const CellRow& cell,
                std::optional<double> samples,
                std::optional<double> tokens,
                std::optional<double> steps,
                TimeMaps& maps) {
  const EnergyUse& energy = *cost.energy;
  const double kw = kilowatts(energy, cell);
  const double kwh_a_second = kw / kSecondsAnHour;
  maps.provenance = Provenance::kScenario;
  maps.add("declared_power_kw", "kW", 0.0, kw);
  for (const auto& [metric, unit, amount] :
       {std::tuple("throughput_per_kw", "samples/s/kW", samples),
        std::tuple("tokens_per_second_per_kw", "tokens/s/kW", tokens)}) {
    if (amount) {
      maps.add_map(
          metric, unit, [&, amount = amount](double time_s) { return *amount / time_s / kw; });
    }
  }
  if (samples) {
    const double kwh = kwh_a_second * kMillion / *samples;
    maps.add("energy_kwh_per_million_samples", "kWh", kwh);
    if (energy.kg_co2_per_kwh > 0.0) {
      maps.add("kg_co2_per_million_samples", "kg", kwh * energy.kg_co2_per_kwh);
    }
  }
  if (steps) {
    const double kwh = kwh_a_second * *steps;
    maps.add("training_kwh", "kWh", kwh);
    if (energy.per_kwh > 0.0) {
      maps.add("training_energy_cost", cost.currency, kwh * energy.per_kwh);
    }
    if (energy.kg_co2_per_kwh > 0.0) {
      maps.add("training_kg_co2", "kg", kwh * energy.kg_co2_per_kwh);
    }
  }
}

bool has(const CellRow& cell, const Study& study, const Investment& investment) {
  const EffectiveParameters effective = effective_parameters(cell, study);
  return std::ranges::all_of(investment.where, [&](const auto& entry) {
    return effective_text(cell, effective, entry.first) == format_value(entry.second);
  });
}

// Whether a purchase of other parameters tells the two apart as well: then the speedup is that of
// more than this price.
bool differ_in_others(const CellRow& cell,
                      const CellRow& base,
                      const Study& study,
                      const Investment& investment) {
  return std::ranges::any_of(study.cost->investments, [&](const Investment& other) {
    const bool is_part = std::ranges::all_of(
        other.where, [&](const auto& entry) { return investment.where.contains(entry.first); });
    return !is_part && has(cell, study, other) != has(base, study, other);
  });
}

EstimateRow from_speedup(const ComparisonRow& speedup) {
  EstimateRow row;
  row.cell_id = speedup.cell_id;
  row.confidence = speedup.confidence;
  row.method = to_word(speedup.method);
  row.n = speedup.n;
  row.n_planned = speedup.n;
  row.status = speedup.status;
  row.trials = trials_of_both(speedup);
  return row;
}

}  // namespace

std::optional<double> training_steps(const CellObservation& cell, const Study& study) {
  if (!study.cost || !study.cost->train) {
    return std::nullopt;
  }
  const Training& train = *study.cost->train;
  const bool is_by_samples = train.samples > 0.0;
  const std::optional<double> each =
      is_by_samples ? rate_amount(cell, names::kThroughput) : tokens_of_step(cell);
  return each ? std::optional((is_by_samples ? train.samples : train.tokens) / *each)
              : std::nullopt;
}

std::vector<EstimateRow> cost_estimates(const EstimateRow& step_time,
                                        const CellObservation& cell,
                                        const Study& study) {
  if (!study.cost) {
    return {};
  }
  const Cost& cost = *study.cost;
  const std::optional<double> samples = rate_amount(cell, names::kThroughput);
  const std::optional<double> tokens = tokens_of_step(cell);
  TimeMaps maps{.time = step_time, .rows = {}};
  for (const Price* price : prices_of(cost)) {
    const double a_second = price->per_hour(cell.row.devices, cell.row.nodes) / kSecondsAnHour;
    for (const auto& [metric, amount] : {std::pair("cost_per_million_samples", samples),
                                         std::pair("cost_per_million_tokens", tokens)}) {
      if (amount) {
        maps.add(metric + price_suffix(cost, *price), cost.currency, a_second * kMillion / *amount);
      }
    }
  }
  const std::optional<double> steps = training_steps(cell, study);
  if (steps) {
    add_training(cost, cell, *steps, maps);
  }
  if (cost.energy) {
    add_energy(cost, cell.row, samples, tokens, steps, maps);
  }
  return std::move(maps.rows);
}

std::vector<EstimateRow> investment_estimates(const std::vector<ComparisonRow>& comparisons,
                                              const StudyObservation& observation,
                                              const Study& study) {
  std::vector<EstimateRow> rows;
  if (!study.cost) {
    return rows;
  }
  for (const Investment& investment : study.cost->investments) {
    for (const ComparisonRow& speedup : comparisons) {
      const CellRow& cell = observation.find_cell(speedup.cell_id)->row;
      const CellRow& base = observation.find_cell(speedup.baseline_cell_id)->row;
      if (speedup.quantity != kSpeedup || !speedup.value || !has(cell, study, investment) ||
          has(base, study, investment) || differ_in_others(cell, base, study, investment) ||
          !is_claim(speedup.verdict)) {
        continue;
      }
      const double hourly = study.cost->price.per_hour(base.devices, base.nodes);
      const auto hours = [&](std::optional<double> s) {
        return s && *s > 1.0 ? std::optional(investment.price / (hourly * (1.0 - 1.0 / *s)))
                             : std::nullopt;
      };
      EstimateRow pays = from_speedup(speedup);
      pays.metric = "pays_after_hours:" + investment.name;
      pays.unit = "h";
      // Of a gain that may as well be none, the hours are any number.
      pays.value = speedup.lo ? hours(speedup.value) : std::nullopt;
      pays.lo = hours(speedup.hi);
      pays.hi = hours(speedup.lo);
      pays.status = pays.value || !speedup.lo ? pays.status : RowStatus::kNotReached;
      rows.push_back(std::move(pays));
      const auto gain = [&](std::optional<double> s) {
        return s ? std::optional(1000.0 * (*s - 1.0) / investment.price) : std::nullopt;
      };
      EstimateRow ranked = from_speedup(speedup);
      ranked.metric = "gain_per_thousand:" + investment.name;
      ranked.unit = "1";
      ranked.value = gain(speedup.value);
      ranked.lo = gain(speedup.lo);
      ranked.hi = gain(speedup.hi);
      rows.push_back(std::move(ranked));
    }
  }
  return rows;
}

std::vector<EstimateRow> cost_efficiencies(const std::vector<ComparisonRow>& comparisons,
                                           const StudyObservation& observation,
                                           const Study& study) {
  std::vector<EstimateRow> rows;
  for (const ComparisonRow& speedup : comparisons) {
    if (!study.cost || speedup.quantity != kSpeedup || !speedup.value) {
      continue;
    }
    const CellRow& cell = observation.find_cell(speedup.cell_id)->row;
    const CellRow& base = observation.find_cell(speedup.baseline_cell_id)->row;
    for (const Price* price : prices_of(*study.cost)) {
      const double ratio =
          price->per_hour(base.devices, base.nodes) / price->per_hour(cell.devices, cell.nodes);
      const auto map = [&](std::optional<double> s) {
        return s ? std::optional(ratio * *s) : std::nullopt;
      };
      EstimateRow row = from_speedup(speedup);
      row.metric = "cost_efficiency" + price_suffix(*study.cost, *price);
      row.unit = "1";
      row.value = map(speedup.value);
      row.lo = map(speedup.lo);
      row.hi = map(speedup.hi);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

namespace {

// What energy counters say of whole trials, by trial id.
std::map<std::int64_t, double> joules_of_trials(const Store& store, std::int64_t study_id) {
  const QueryResult told = store.query(
      "SELECT trial_id, value FROM telemetry WHERE trial_id IN (SELECT id FROM trial WHERE "
      "study_id = ?1) AND unit = 'J' AND name GLOB '*energy_j' AND name NOT GLOB 'measured_*' "
      "ORDER BY trial_id, name",
      {study_id});
  std::map<std::int64_t, double> joules;
  for (const std::vector<Field>& row : told.rows) {
    const auto* trial = std::get_if<std::int64_t>(&row.at(0));
    const auto* value = std::get_if<double>(&row.at(1));
    if (trial != nullptr && value != nullptr && is_computable(*value)) {
      joules[*trial] += *value;
    }
  }
  return joules;
}

}  // namespace

std::vector<EstimateRow> study_use(const Store& store, std::int64_t study_id) {
  std::map<std::int64_t, std::int64_t> devices;
  for (const CellRow& cell : store.cells(study_id)) {
    devices.emplace(cell.id, cell.devices);
  }
  const std::map<std::int64_t, double> joules = joules_of_trials(store, study_id);
  std::map<std::pair<std::int64_t, std::string>, EstimateRow> sums;
  const auto add = [&](const TrialRow& trial, const char* metric, const char* unit, double value) {
    EstimateRow& row = sums[{trial.cell_id, metric}];
    row.cell_id = trial.cell_id;
    row.metric = metric;
    row.unit = unit;
    row.method = "sum";
    row.status = RowStatus::kOk;
    row.value = row.value.value_or(0.0) + value;
    row.n_planned = ++row.n;
    row.trials.push_back(trial.id);
  };
  for (const TrialRow& trial : each_run_once(store.trials(study_id))) {
    const auto count = devices.find(trial.cell_id);
    if (count == devices.end() || !is_step_time(trial.wall_s.value_or(0.0))) {
      continue;
    }
    add(trial,
        "device_hours_used",
        "h",
        *trial.wall_s * static_cast<double>(count->second) / kSecondsAnHour);
    if (const auto told = joules.find(trial.id); told != joules.end() && told->second > 0.0) {
      add(trial, "energy_kwh_used", "kWh", told->second / kJoulesAKwh);
    }
  }
  std::vector<EstimateRow> rows;
  for (auto& [key, row] : sums) {
    std::ranges::sort(row.trials);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace scalestudy

#include "harness/analysis/observe/periods.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/analysis/observe/flags.h"
#include "stats/multiplicity.h"
#include "stats/regression.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// A trial whose step times can count.
struct Counted {
  TrialObservation* trial = nullptr;
  std::size_t cell = 0;              // in the observation
  std::optional<std::size_t> phase;  // its first step of the cell's period, once that is known
};
using CountedById = std::unordered_map<std::int64_t, Counted>;

CountedById counted_trials(StudyObservation& observation) {
  CountedById counted;
  for (std::size_t cell = 0; cell < observation.cells.size(); ++cell) {
    for (TrialObservation& trial : observation.cells[cell].trials) {
      if (trial.steps.slope) {
        counted.emplace(trial.row.id, Counted{.trial = &trial, .cell = cell, .phase = {}});
      }
    }
  }
  return counted;
}

// In the order of the cells; Holm over them.
std::vector<std::optional<stats::Period>> periods_of(
    const std::vector<CellObservation>& cells,
    const std::map<std::int64_t, stats::PeriodEvidence>& evidence) {
  std::vector<std::optional<stats::Period>> periods;
  std::vector<std::optional<double>> p_values;
  for (const CellObservation& cell : cells) {
    const auto own = evidence.find(cell.row.id);
    const bool has_own = own != evidence.end() && !own->second.empty();
    periods.push_back(has_own ? stats::find_period(own->second, kFalseAlarms) : std::nullopt);
    p_values.emplace_back(!has_own         ? std::nullopt
                          : periods.back() ? std::optional(periods.back()->p)
                                           : std::optional(1.0));
  }
  const stats::AdjustedP adjusted = stats::holm(p_values);
  for (std::size_t cell = 0; cell < periods.size(); ++cell) {
    const double p = adjusted.adjusted.at(cell).value_or(1.0);
    if (periods[cell] && p < kFalseAlarms) {
      periods[cell]->p = p;
    } else {
      periods[cell].reset();
    }
  }
  return periods;
}

// Steps and their time.
struct Part {
  double steps = 0.0;
  double time_s = 0.0;
};

struct Parts {
  Part periodic;
  Part others;
  std::int64_t trials = 0;
};

bool is_periodic(std::size_t step, std::size_t phase, std::size_t period) {
  return step % period == phase;
}

void add_parts(std::span<const double> steps, std::size_t phase, std::size_t period, Parts& parts) {
  ++parts.trials;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Part& part = is_periodic(i, phase, period) ? parts.periodic : parts.others;
    part.steps += 1.0;
    part.time_s += steps[i];
  }
}

// As flag_steps() has it, over the steps that are not periodic.
std::optional<double> slope_of_others(std::span<const double> steps,
                                      std::size_t phase,
                                      std::size_t period) {
  constexpr double steps_per_unit = 100.0;
  std::vector<double> index;
  std::vector<double> others;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!is_periodic(i, phase, period)) {
      index.push_back(static_cast<double>(i));
      others.push_back(steps[i]);
    }
  }
  const stats::LinearFit line = stats::linreg(index, others);
  return line.slope
             ? std::optional(*line.slope * steps_per_unit / stats::mean(others).value_or(1.0))
             : std::nullopt;
}

// What the steps of the period add to the time of all; below this nothing is said.
constexpr double kLeastExcess = 0.01;

std::optional<StepPeriod> describe(const stats::Period& period, const Parts& parts) {
  const double all_s = parts.periodic.time_s + parts.others.time_s;
  if (parts.periodic.steps == 0.0 || parts.others.steps == 0.0) {
    return std::nullopt;
  }
  const double factor =
      (parts.periodic.time_s / parts.periodic.steps) / (parts.others.time_s / parts.others.steps);
  const double share = parts.periodic.time_s / all_s;
  return share * (1.0 - 1.0 / factor) < kLeastExcess
             ? std::nullopt
             : std::optional(StepPeriod{.steps = period.steps,
                                        .factor = factor,
                                        .share = share,
                                        .p = period.p,
                                        .trials = parts.trials});
}

}  // namespace

void find_periods(const Store& store,
                  std::int64_t study_id,
                  const Study& study,
                  const std::map<std::int64_t, stats::PeriodEvidence>& evidence,
                  StudyObservation& observation) {
  const auto periods = periods_of(observation.cells, evidence);
  if (std::ranges::none_of(periods, [](const auto& period) { return period.has_value(); })) {
    return;
  }
  CountedById counted = counted_trials(observation);
  std::vector<Parts> parts(periods.size());
  std::unordered_map<std::int64_t, std::optional<double>> slopes;
  store.for_each_series(study_id, kStepTime, [&](const TrialRow& row, const SeriesRow& series) {
    const auto found = counted.find(row.id);
    if (found == counted.end() || !periods[found->second.cell]) {
      return;
    }
    Counted& trial = found->second;
    const std::size_t period = periods[trial.cell]->steps;
    const std::span<const double> steps = measured_values(series);
    trial.phase = stats::phase_of(steps, period);
    if (trial.phase) {
      add_parts(steps, *trial.phase, period, parts[trial.cell]);
      slopes[row.id] = slope_of_others(steps, *trial.phase, period);
    }
  });
  for (std::size_t cell = 0; cell < periods.size(); ++cell) {
    if (periods[cell]) {
      observation.cells[cell].period = describe(*periods[cell], parts[cell]);
    }
  }
  if (study.workload == Workload::kTrain) {  // their slopes are of the slowest rank
    store.for_each_slowest_series(study_id, [&](const TrialRow& row, const SeriesRow& series) {
      const auto found = counted.find(row.id);
      if (found != counted.end() && found->second.phase && series.metric == kStepTime) {
        slopes[row.id] = slope_of_others(
            measured_values(series), *found->second.phase, periods[found->second.cell]->steps);
      }
    });
  }
  for (const auto& [id, slope] : slopes) {
    const Counted& trial = counted.at(id);
    if (observation.cells[trial.cell].period) {
      trial.trial->steps.slope = slope;
    }
  }
}

}  // namespace scalestudy

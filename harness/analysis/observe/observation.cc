#include "harness/analysis/observe/observation.h"

#include <algorithm>

#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {

const CellObservation* StudyObservation::find_cell(const std::optional<std::string>& hash) const {
  const auto found = std::ranges::find_if(
      cells, [&](const CellObservation& cell) { return hash && cell.row.hash == *hash; });
  return found == cells.end() ? nullptr : &*found;
}

const CellObservation* StudyObservation::find_cell(std::int64_t id) const {
  const auto found =
      std::ranges::find(cells, id, [](const CellObservation& c) { return c.row.id; });
  return found == cells.end() ? nullptr : &*found;
}

double TrialMetric::*statistic_of(const MetricRequest& request) {
  return request.by == TrialStatistic::kP50 ? &TrialMetric::p50 : &TrialMetric::mean;
}

std::vector<double> trial_means(const CellObservation& cell, const std::string& metric) {
  std::vector<double> means;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.metrics.find(metric);
    if (found != trial.metrics.end()) {
      means.push_back(found->second.mean);
    }
  }
  return means;
}

TrialIds trials_with(const CellObservation& cell, const std::string& metric) {
  TrialIds trials;
  for (const TrialObservation& trial : cell.trials) {
    if (trial.metrics.contains(metric)) {
      trials.push_back(trial.row.id);
    }
  }
  std::ranges::sort(trials);
  return trials;
}

bool is_emulated(const StudyObservation& observation, const Study& study) {
  return is_emulated(study) ||
         std::ranges::any_of(observation.cells, [](const CellObservation& cell) {
           return std::ranges::any_of(cell.trials, &TrialObservation::is_emulated);
         });
}

std::optional<StepTimeDefinition> definition_of(const CellObservation& cell) {
  std::optional<StepTimeDefinition> found;
  for (const TrialObservation& trial : cell.trials) {
    if (trial.definition) {
      found = found.value_or(*trial.definition) == *trial.definition ? *trial.definition
                                                                     : StepTimeDefinition::kMixed;
    }
  }
  return found;
}

std::int64_t failed_count(const CellObservation& cell) {
  std::int64_t count = 0;
  for (const auto& [state, trials] : cell.failures) {
    count += trials;
  }
  return count;
}

bool is_probe(const CellObservation& cell, const Study& study) {
  return study.largest && (failed_count(cell) + cell.unsupported > 0 ||
                           std::ssize(cell.trials) < study.trials.count);
}

bool has_impossible_times(const TrialObservation& trial, const Study& study) {
  // How long a command took to print logs of devices elsewhere says nothing of their steps.
  const auto found = trial.metrics.find(kStepTime);
  if (study.is_remote() || study.extract.empty() || found == trial.metrics.end() ||
      !trial.row.wall_s) {
    return false;
  }
  const TrialMetric& times = found->second;
  // Of lines that cover ten steps each, the first may have been printed behind one.
  const double steps = 1.0 + trial.covered_steps * (static_cast<double>(times.steps) - 1.0);
  return steps * times.mean > kMostStepsShare * *trial.row.wall_s;
}

bool has_survivors_only(const CellObservation& cell) {
  const std::int64_t failed = failed_count(cell);
  return 10 * failed > failed + static_cast<std::int64_t>(cell.trials.size());
}

}  // namespace scalestudy

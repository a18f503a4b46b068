#include "harness/analysis/observe/observe.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/analysis/observe/analysis_change.h"
#include "harness/analysis/observe/epochs.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/observe/looking.h"
#include "harness/analysis/observe/observe_imported.h"
#include "harness/analysis/observe/observe_machine.h"
#include "harness/analysis/observe/periods.h"
#include "harness/analysis/observe/place_trials.h"
#include "harness/analysis/observe/times_to.h"
#include "harness/analysis/observe/trial_facts.h"
#include "harness/store/tables/summary.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// "cores" of the sessions' machines, by session that says them.
std::map<std::int64_t, double> read_cores(const Store& store,
                                          const std::vector<SessionRow>& sessions) {
  std::map<std::int64_t, double> cores;
  for (const SessionRow& session : sessions) {
    for (const EnvironmentRow& fact : store.environment(session.id)) {
      const double value = fact.name == "cores" ? parse_number(fact.value).value_or(0.0) : 0.0;
      if (value > 0.0) {
        cores[session.id] = value;
      }
    }
  }
  return cores;
}

using TrialsById = std::unordered_map<std::int64_t, TrialObservation*>;

TrialsById trials_by_id(StudyObservation& observation) {
  TrialsById by_id;
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      by_id.emplace(trial.row.id, &trial);
    }
  }
  return by_id;
}

// One of a step time that is none.
TrialMetric invalid_metric(const TrialMetric& metric) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {.steps = metric.steps, .mean = none, .p50 = none, .p95 = none, .p99 = none, .last = none};
}

bool is_usable(const SeriesRow& series) {
  return std::ranges::all_of(measured_values(series),
                             series.metric == kStepTime ? is_step_time : is_computable);
}

// Returns by cell what its step times say of periods: they are many, and read this once.
std::map<std::int64_t, stats::PeriodEvidence> read_series(const Store& store,
                                                          std::int64_t study_id,
                                                          const Study& study,
                                                          const TrialsById& by_id,
                                                          StudyObservation& observation) {
  std::map<std::int64_t, stats::PeriodEvidence> periods;
  for (const std::string& metric : store.metrics(study_id)) {
    if (metric == kWindowTime) {
      continue;
    }
    store.for_each_series(study_id, metric, [&](const TrialRow& row, const SeriesRow& series) {
      const auto trial = by_id.find(row.id);
      const std::optional<TrialMetric> summary = summarise_series(series);
      if (trial == by_id.end() || !summary) {
        return;
      }
      if (study.workload == Workload::kTrain && is_of_epochs(metric)) {
        add_epochs(series, *trial->second, observation.units);
        return;
      }
      const bool can_count = is_usable(series);
      trial->second->metrics.emplace(metric, can_count ? *summary : invalid_metric(*summary));
      if (observation.units.emplace(metric, series.unit).first->second != series.unit) {
        observation.mixed_units.insert(metric);
      }
      if (metric == kStepTime && can_count) {
        trial->second->steps = flag_steps(series, study.analysis.outliers);
        if (trial->second->steps.slope) {
          stats::add_steps(periods[trial->second->row.cell_id], measured_values(series));
        }
      }
    });
  }
  return periods;
}

// The series that `train` writes of a step's parts.
constexpr std::array<std::string_view, 7> kPartsOfStep{names::kDataTime,
                                                       names::kForwardTime,
                                                       names::kBackwardTime,
                                                       kExposed,
                                                       names::kOptimizerTime,
                                                       names::kOtherTime,
                                                       kCommunication};

void read_slowest_ranks(const Store& store,
                        std::int64_t study_id,
                        const Study& study,
                        const TrialsById& by_id) {
  store.for_each_slowest_series(study_id, [&](const TrialRow& row, const SeriesRow& series) {
    const auto found = by_id.find(row.id);
    if (found == by_id.end() || !is_usable(series)) {
      return;
    }
    TrialObservation& trial = *found->second;
    if (series.metric == kStepTime) {
      StepFlags own = flag_steps(series, study.analysis.outliers);
      trial.steps.slope = own.slope;
      trial.steps.batch_means = std::move(own.batch_means);
    } else if (std::ranges::find(kPartsOfStep, series.metric) != kPartsOfStep.end()) {
      const std::optional<TrialMetric> own = summarise_series(series);
      const auto metric = trial.metrics.find(series.metric);
      if (own && metric != trial.metrics.end()) {
        metric->second.mean = own->mean;
      }
    }
  });
}

constexpr std::array<std::string_view, 13> kSoftware{"compiler",
                                                     "compiler_flags",
                                                     "cuda_build",
                                                     "cuda_driver",
                                                     "driver",
                                                     "kernel",
                                                     "mpi",
                                                     "nccl",
                                                     "onednn",
                                                     "os",
                                                     "preset",
                                                     "tool_revision",
                                                     "tool_version"};

// A fact that one session lacks is a difference too.
void take_software(const Store& store,
                   const std::vector<SessionRow>& sessions,
                   const TrialsById& by_id) {
  std::map<std::int64_t, std::shared_ptr<const Software>> by_session;
  for (const SessionRow& session : sessions) {
    Software software;
    for (const EnvironmentRow& fact : store.environment(session.id)) {
      if (std::ranges::find(kSoftware, fact.name) != kSoftware.end() ||
          fact.name.starts_with("file.") || fact.name.starts_with("version.")) {
        software.emplace(fact.name, fact.value);
      }
    }
    by_session[session.id] = std::make_shared<const Software>(std::move(software));
  }
  for (const auto& [id, trial] : by_id) {
    trial->software = by_session[trial->row.session_id.value_or(0)];
  }
}

// Puts the time of a step in place of the mean over steps of the slowest rank's time, which is
// longer where ranks are slow in turn, and makes follow from it what does in a trial of `train`.
void take_step_times(const std::map<std::int64_t, StepTime>& times,
                     const TrialsById& by_id,
                     bool is_train) {
  for (const auto& [id, trial] : by_id) {
    const auto step = trial->metrics.find(kStepTime);
    const auto found = times.find(id);
    if (step == trial->metrics.end() || found == times.end() || !(step->second.mean > 0.0)) {
      continue;  // without a step time, or with one that is none
    }
    const StepTime& time = found->second;
    if (!is_step_time(time.mean_s)) {
      step->second = invalid_metric(step->second);
      continue;
    }
    trial->definition = time.definition;
    if (time.definition != StepTimeDefinition::kWindow) {
      continue;
    }
    step->second.mean = time.mean_s;
    const auto utilization = trial->metrics.find(kUtilization);
    if (is_train && utilization != trial->metrics.end()) {
      // At each step the time it would take at the device's peak, over its own.
      utilization->second.mean = utilization->second.last * step->second.last / time.mean_s;
    }
    const auto hidden = trial->metrics.find(kHidden);
    if (is_train && hidden != trial->metrics.end()) {
      hidden->second.mean = trial->metrics[kCommunication].mean - trial->metrics[kExposed].mean;
    }
  }
}

// Means over values of two units say nothing.
void drop_mixed_units(StudyObservation& observation) {
  for (const std::string& metric : observation.mixed_units) {
    observation.units.erase(metric);
    for (CellObservation& cell : observation.cells) {
      for (TrialObservation& trial : cell.trials) {
        trial.metrics.erase(metric);
      }
    }
  }
}

// NaN where the trial does not have the metric.
double mean_of(const TrialObservation& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? std::numeric_limits<double>::quiet_NaN()
                                      : found->second.mean;
}

// Shares of a step that the study asks for by name: no trial tells them.
void add_asked_shares(const Study& study, const TrialsById& by_id, StudyObservation& observation) {
  for (const auto& [share, parts] : step_shares()) {
    if (find_request(study.analysis, share) == nullptr) {
      continue;
    }
    for (const auto& [id, trial] : by_id) {
      double sum_s = 0.0;
      for (const std::string& part : parts) {
        sum_s += mean_of(*trial, part);
      }
      if (const double value = sum_s / mean_of(*trial, kStepTime); is_computable(value)) {
        trial->metrics.emplace(share, single_value(value));
        observation.units.emplace(share, "1");
      }
    }
  }
}

// Whether the study asks for what every trial has by that name. If a rule gives the metric, it is
// what the program printed, and trials without it have none.
bool asks_recorded(const Study& study, std::string_view metric) {
  return find_request(study.analysis, metric) != nullptr &&
         std::ranges::find(study.extract, metric, &ExtractRule::metric) == study.extract.end();
}

// "cpu_throttle_events", "cpu_throttled", "gpu0_throttled".
bool tells_throttling(const std::string& name) {
  return name == "cpu_throttle_events" || name == "cpu_throttled" ||
         (name.starts_with("gpu") && name.ends_with("_throttled"));
}

void take_telemetry(const TelemetryRow& told,
                    const Study& study,
                    CellObservation& cell,
                    TrialObservation& trial,
                    StudyObservation& observation) {
  if (told.name == "steal") {
    observation.steal.emplace(trial.row.id, told.value);
  } else if (tells_throttling(told.name)) {
    if (told.value > 0.0) {
      observation.throttled.insert(trial.row.id);
    }
  } else if (take_fact(told, trial)) {
    return;
  } else if (told.name == "software_type") {
    cell.has_software_type |= told.value != 0.0;
  } else if (told.name == "total_bytes") {
    cell.total_bytes = told.value;
  } else if (told.name == "busbw_factor") {
    cell.busbw_factor = told.value;
  } else if (is_measure(told.name) || asks_recorded(study, told.name)) {
    trial.metrics[told.name] = single_value(told.value);
    observation.units[told.name] = told.unit;
  }
}

void read_telemetry(const std::map<std::int64_t, std::vector<TelemetryRow>>& by_trial,
                    const Study& study,
                    StudyObservation& observation) {
  const std::set<std::string> given = given_metrics(study, observation);
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      const auto left = by_trial.find(trial.row.id);
      if (left == by_trial.end()) {
        continue;
      }
      trial.covered_steps = covered_steps(left->second);
      take_usage(left->second, cell.row, given, trial, observation);
      for (const TelemetryRow& telemetry : left->second) {
        if (is_computable(telemetry.value)) {
          take_telemetry(telemetry, study, cell, trial, observation);
        }
      }
    }
  }
}

void take_wall_times(const TrialsById& by_id, StudyObservation& observation) {
  for (const auto& [id, trial] : by_id) {
    if (const double wall_s = trial->row.wall_s.value_or(0.0); is_step_time(wall_s)) {
      trial->metrics[kTrialWallTime] = single_value(wall_s);
      observation.units[kTrialWallTime] = "s";
    }
  }
}

}  // namespace

StudyObservation observe(const Store& store,
                         std::int64_t study_id,
                         const Study& study,
                         const std::set<std::int64_t>& former) {
  StudyObservation observation;
  observation.study = store.study(study_id);
  for (const CellRow& row : store.cells(study_id)) {
    if (!row.excluded_reason || former.contains(row.id)) {
      observation.cells.emplace_back().row = row;
    }
  }
  std::vector<TrialRow> trials = store.trials(study_id);
  if (study.is_remote()) {  // trials that ran before the study said so were held to cores here
    std::ranges::for_each(trials, [](TrialRow& trial) { trial.oversubscribed = false; });
  }
  const std::vector<SessionRow> sessions = store.sessions(study_id);
  for (const SessionRow& session : sessions) {
    observation.trial_changes.emplace(session.id,
                                      find_trial_change(session, study, observation.study.hash));
    observation.last_ending = session.ending;
  }
  observation.read_again = find_read_again(store, study_id, study);
  place_trials(store.annotations(study_id), trials, observation);
  observe_imported(trials, observation);
  const TrialsById by_id = trials_by_id(observation);
  const auto periods = read_series(store, study_id, study, by_id, observation);
  const bool is_train = study.workload == Workload::kTrain;
  if (is_train) {
    read_slowest_ranks(store, study_id, study, by_id);
  }
  find_periods(store, study_id, study, periods, observation);
  const std::map<std::int64_t, StepTime> times = store.step_times(study_id);
  take_step_times(times, by_id, is_train);
  place_as_met(trials, times, observation);
  const auto telemetry = store.telemetry(study_id);
  read_calibrations(sessions, study, trials, telemetry, observation);
  take_software(store, sessions, by_id);
  drop_mixed_units(observation);
  add_asked_shares(study, by_id, observation);
  read_telemetry(telemetry, study, observation);
  find_times_to(store, study_id, study, observation);
  if (asks_recorded(study, kTrialWallTime)) {
    take_wall_times(by_id, observation);
  }
  if (study.workload != Workload::kCommand) {
    for (const auto& [id, cores] : store.cores_per_rank(study_id)) {
      if (const auto trial = by_id.find(id); trial != by_id.end()) {
        trial->second->cores_per_rank = cores;
      }
    }
  }
  observation.analysis_change =
      find_analysis_change(sessions, trials, study, observation.study.hash);
  observation.additions = store.additions(study_id);
  observation.looking = find_looking(sessions, trials, store.looks(study_id), study);
  observation.session_cores = read_cores(store, sessions);
  for (const auto& [session, cores] : observation.session_cores) {
    observation.cores = std::min(observation.cores.value_or(cores), cores);
  }
  for (CellObservation& cell : observation.cells) {
    flag_trials(study.analysis.outliers, cell);
  }
  adjust_slow_p(observation.cells);
  return observation;
}

}  // namespace scalestudy

#include "harness/analysis/observe_machine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/store/summary.h"

namespace scalestudy {

bool is_of_earlier_command(const TrialRow& trial, const StudyObservation& observation) {
  const auto change = observation.trial_changes.find(trial.session_id.value_or(0));
  return change != observation.trial_changes.end() && change->second && !change->second->empty();
}

void place_as_met(const std::vector<TrialRow>& trials,
                  const std::map<std::int64_t, StepTime>& times,
                  StudyObservation& observation) {
  for (CellObservation& cell : observation.cells) {
    std::map<std::pair<std::string, std::int64_t>, const TrialRow*> first;  // by plan, block
    bool is_disturbed = false;
    for (const TrialRow& trial : trials) {
      const bool would_count = trial.state == TrialState::kOk || is_put_aside(trial);
      if (trial.cell_id == cell.row.id && would_count && !cell.excluded.contains(trial.id) &&
          !is_of_earlier_command(trial, observation)) {
        const TrialRow*& kept = first[{trial.plan, trial.block}];
        kept = kept == nullptr || trial.attempt < kept->attempt ? &trial : kept;
        is_disturbed |= trial.disturbance != Disturbance::kNone;
      }
    }
    for (const auto& [place, trial] : first) {
      const auto time = times.find(trial->id);
      if (is_disturbed && time != times.end() && is_step_time(time->second.mean_s)) {
        TrialObservation& met = cell.as_met.emplace_back();
        met.row = *trial;
        met.metrics[kStepTime] = {.steps = time->second.steps, .mean = time->second.mean_s};
      }
    }
    std::ranges::stable_sort(
        cell.as_met, {}, [](const TrialObservation& trial) { return trial.row.block; });
  }
}

void read_calibrations(const Store& store,
                       const Study& study,
                       const std::vector<TrialRow>& trials,
                       StudyObservation& observation) {
  const auto telemetry = store.telemetry(observation.study.id);
  for (const SessionRow& session : store.sessions(observation.study.id)) {
    for (const TrialRow& trial : trials) {  // in the order they ran
      const auto left = telemetry.find(trial.id);
      if (trial.session_id != session.id || left == telemetry.end()) {
        continue;
      }
      for (const char* name : {"calibration_before_s", "calibration_after_s"}) {
        const auto row = std::ranges::find(left->second, name, &TelemetryRow::name);
        if (row != left->second.end() && row->value > 0.0 && is_computable(row->value)) {
          const bool is_batch = study.order.design == OrderDesign::kBatch;
          observation.calibrations.push_back({.session = session.id,
                                              .host = session.host,
                                              .group = is_batch ? trial.cell_id : trial.block,
                                              .time_s = row->value});
        }
      }
    }
  }
}

}  // namespace scalestudy

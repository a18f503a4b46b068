// Small studies for the tests of analysis, by hand and without a store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy::test {

// A measured cell of a strong-scaling study over `devices` and `batch_global`. Its hash is
// "d<devices>b<batch>", its baseline the cell with one device.
inline CellRow make_cell(std::int64_t id, std::int64_t devices, std::int64_t batch_global) {
  const auto hash = [&](std::int64_t count) {
    return "d" + std::to_string(count) + "b" + std::to_string(batch_global);
  };
  CellRow cell;
  cell.id = id;
  cell.hash = hash(devices);
  cell.role = CellRole::kMeasured;
  cell.label =
      "devices=" + std::to_string(devices) + " batch_global=" + std::to_string(batch_global);
  cell.devices = devices;
  cell.batch_global = batch_global;
  cell.batch_per_device = batch_global / devices;
  cell.baseline = hash(1);
  cell.parameters = {{"batch_global", std::to_string(batch_global), ValueKind::kInteger, true},
                     {"devices", std::to_string(devices), ValueKind::kInteger, true}};
  return cell;
}

// The control of `cell` without communication, or the baseline under a second name.
inline CellRow make_control(std::int64_t id, const CellRow& cell, CellRole role) {
  CellRow control = cell;
  control.id = id;
  control.hash = cell.hash + to_word(role);
  control.role = role;
  control.control_of = cell.hash;
  control.baseline.reset();
  return control;
}

// Makes the facts about software that the trials of one session share.
inline std::shared_ptr<const Software> share(Software software) {
  return std::make_shared<const Software>(std::move(software));
}

// The cell with one ok trial per mean step time, in blocks 0, 1, ...; run position = block.
inline CellObservation observe_cell(CellRow row, const std::vector<double>& step_times_s) {
  CellObservation cell;
  cell.row = std::move(row);
  cell.planned = static_cast<std::int64_t>(step_times_s.size());
  for (std::size_t block = 0; block < step_times_s.size(); ++block) {
    TrialObservation trial;
    trial.row.id = 1000 * cell.row.id + static_cast<std::int64_t>(block);
    trial.row.cell_id = cell.row.id;
    trial.row.block = static_cast<std::int64_t>(block);
    trial.row.position = static_cast<std::int64_t>(block);
    trial.row.state = TrialState::kOk;
    const double time_s = step_times_s[block];
    trial.metrics[kStepTime] = {
        .steps = 100, .mean = time_s, .p50 = time_s, .p95 = time_s, .p99 = time_s, .last = time_s};
    cell.trials.push_back(std::move(trial));
  }
  return cell;
}

// The cell as if `session` had run its trials from `first` on.
inline CellObservation in_session(CellObservation cell,
                                  std::int64_t session,
                                  std::size_t first = 0) {
  for (std::size_t i = first; i < cell.trials.size(); ++i) {
    cell.trials[i].row.session_id = session;
  }
  return cell;
}

// A cell of blocks that are seeds (of one seed with vary_seed "false"), each of which so many
// sessions ran: with these accuracies, the same to the bit in each session.
inline CellObservation learn_cell(CellRow row,
                                  std::int64_t sessions,
                                  const std::vector<double>& accuracies,
                                  const std::string& vary_seed = "true") {
  row.parameters.push_back({"vary_seed", vary_seed, ValueKind::kFlag, false});
  CellObservation once = observe_cell(std::move(row), accuracies);
  for (TrialObservation& trial : once.trials) {
    trial.metrics["accuracy"] = trial.metrics[kStepTime];
  }
  CellObservation all = in_session(once, 1);
  for (std::int64_t session = 2; session <= sessions; ++session) {
    const CellObservation again = in_session(once, session);
    all.trials.insert(all.trials.end(), again.trials.begin(), again.trials.end());
  }
  return all;
}

inline StudyObservation make_observation(std::vector<CellObservation> cells, Scaling scaling) {
  StudyObservation observation;
  observation.study.id = 1;
  observation.study.name = "by-hand";
  observation.study.scaling = scaling;
  observation.cells = std::move(cells);
  observation.units[kStepTime] = "s";
  return observation;
}

}  // namespace scalestudy::test

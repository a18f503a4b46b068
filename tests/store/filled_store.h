// Studies, trials and results for the store's tests.
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"
#include "tests/support/program.h"

namespace scalestudy::test {

using test::TemporaryFolder;

inline StudyRow make_study(const std::string& name = "small") {
  StudyRow study;
  study.name = name;
  study.title = "A small study";
  study.hash = "0011223344556677";
  study.source_path = "studies/small.yaml";
  study.source_text = "version: 1\n";
  study.scaling = Scaling::kStrong;
  return study;
}

inline CellRow make_cell(const std::string& hash, std::int64_t devices) {
  CellRow cell;
  cell.hash = hash;
  cell.label = "devices=" + std::to_string(devices);
  cell.devices = devices;
  cell.batch_global = 64;
  cell.batch_per_device = 64 / devices;
  cell.baseline = "00000001";
  cell.parameters = {
      {.name = "devices",
       .value = std::to_string(devices),
       .kind = ValueKind::kInteger,
       .varied = true},
      {.name = "model", .value = "mlp-258k", .kind = ValueKind::kText, .varied = false}};
  return cell;
}

inline SessionRow make_session(std::int64_t study_id) {
  SessionRow session;
  session.study_id = study_id;
  session.started_at = "2026-11-21T10:00:00Z";
  session.host = "host";
  session.tool_version = "0.1.0";
  session.tool_revision = "abc";
  session.study_hash = "0011223344556677";
  session.order_seed = 42;
  return session;
}

// A plan with one trial of every cell in each block, cells in order.
inline std::vector<TrialRow> make_plan(const std::vector<CellRow>& cells, int blocks) {
  std::vector<TrialRow> plan;
  for (int block = 0; block < blocks; ++block) {
    for (const CellRow& cell : cells) {
      TrialRow& row = plan.emplace_back();
      row.cell_id = cell.id;
      row.block = block;
      row.position = static_cast<std::int64_t>(plan.size()) - 1;
    }
  }
  return plan;
}

struct Planned {
  std::int64_t study_id = 0;
  std::int64_t session_id = 0;
  std::vector<CellRow> cells;
  std::vector<TrialRow> trials;
};

// Study "small": cells 00000001 (1 device) and 00000002 (2 devices), `blocks` trials each.
inline Planned plan_small_study(Store& store, int blocks = 2, const std::string& name = "small") {
  Planned planned;
  planned.study_id = store.put_study(make_study(name));
  store.put_cells(planned.study_id, {make_cell("00000001", 1), make_cell("00000002", 2)}, "");
  planned.cells = store.cells(planned.study_id);
  store.put_plan(planned.study_id, make_plan(planned.cells, blocks), "no longer in the plan");
  planned.session_id =
      store.begin_session(make_session(planned.study_id),
                          {{.name = "cpu_model", .value = "CPU"}, {.name = "cores", .value = "2"}});
  planned.trials = store.trials(planned.study_id);
  return planned;
}

inline SeriesRow make_series(const std::string& metric,
                             std::vector<double> values,
                             int warmup = 0) {
  SeriesRow row;
  row.metric = metric;
  row.unit = "s";
  row.warmup_n = warmup;
  row.values = std::move(values);
  return row;
}

// An ok end of `trial` with one warm-up step and these measured step times.
inline TrialRecord make_record(const TrialRow& trial, std::vector<double> measured) {
  TrialRecord record;
  record.trial = trial;
  record.trial.state = TrialState::kOk;
  record.trial.wall_s = 1.5;
  record.trial.exit_code = 0;
  record.trial.foreign_load = 0.0;
  measured.insert(measured.begin(), 9.0);
  record.series.push_back(make_series("step_time_s", std::move(measured), 1));
  record.telemetry.push_back({.name = "max_rss_bytes", .value = 1e6, .unit = "bytes"});
  return record;
}

// A trial of the cell that was read from a log, with no declared block and order.
inline TrialRecord imported_record(std::int64_t study_id,
                                   std::int64_t cell_id,
                                   const std::string& source,
                                   const std::string& hash) {
  TrialRecord record;
  record.trial.study_id = study_id;
  record.trial.cell_id = cell_id;
  record.trial.plan = hash;
  record.trial.state = TrialState::kOk;
  record.trial.provenance = TrialProvenance::kImported;
  record.trial.has_block = false;
  record.trial.has_order = false;
  record.trial.source = source;
  record.trial.source_hash = hash;
  record.series.push_back(make_series("step_time_s", {9.0, 1.0, 1.1}, 1));
  return record;
}

// Runs every planned trial of the study to ok; the trial of cell i and block b takes i + 1 + b/10.
inline void finish_all(Store& store, const Planned& planned) {
  for (const TrialRow& trial : store.trials(planned.study_id)) {
    if (trial.state != TrialState::kPlanned) {
      continue;
    }
    store.mark_running(trial.id, planned.session_id, "2026-11-21T10:00:01Z");
    const double base = trial.cell_id == planned.cells[0].id ? 1.0 : 2.0;
    const double step_time_s = base + static_cast<double>(trial.block) / 8.0;
    store.finish_trial(make_record(trial, {step_time_s, step_time_s + 0.5}), false);
  }
}

// A number that SQLite keeps of the store's file, such as user_version.
inline std::int64_t pragma(const Store& store, const std::string& name) {
  return std::get<std::int64_t>(store.query("PRAGMA " + name).rows.at(0).at(0));
}

}  // namespace scalestudy::test

// The shipped studies with trials made up for them, analysed, and rendered as a kind of report.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/report/input/input.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/template.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "tests/support/planned_study.h"

namespace scalestudy::test {

inline constexpr std::ptrdiff_t kFirstScreen = 1000;  // characters before the first table

inline std::string render_kind(const report::ReportInput& input, const std::string& kind) {
  const std::filesystem::path templates = shared_file("templates");
  return report::render_template(
      templates / (kind + ".md"),
      {templates / "partials"},
      report::build_view(input, {}),
      [](const std::string&) { return ""; },
      report::template_tags());
}

// What comes before the first table and the first section.
inline std::string first_screen(const std::string& report) {
  return report.substr(0, std::min(report.find("\n|"), report.find("\n## ")));
}

// Characters, not bytes.
inline std::ptrdiff_t length(const std::string& text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

inline double step_time_s(const CellRow& cell, const TrialRow& trial) {
  const auto devices = static_cast<double>(cell.devices);
  const auto batch = static_cast<double>(cell.batch_global.value_or(100));
  double size = 0.0;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    const std::size_t letters = parameter.name.size() * parameter.value.size();
    size += parameter.varied ? static_cast<double>(letters) : 0.0;
  }
  const double sent = cell.devices > 1 && cell.role == CellRole::kMeasured ? 2e-3 : 0.0;
  const double noise = 1.0 + 0.02 * std::sin(static_cast<double>(7 * trial.position));
  return noise * (1e-3 + 1e-4 * batch / devices + 1e-6 * size + sent);
}

// A busy machine makes a first screen longest.
inline constexpr double kBusy = 1.5;  // cores' worth of other processes

inline TrialRecord record_of(const Study& study,
                             const CellRow& cell,
                             const TrialRow& trial,
                             double foreign_load) {
  TrialRecord record;
  record.trial = trial;
  record.trial.state = TrialState::kOk;
  record.trial.wall_s = 2.0;
  record.trial.foreign_load = foreign_load;
  const double time_s = step_time_s(cell, trial);
  const auto add = [&](const std::string& metric, const std::string& unit, double value) {
    record.series.push_back({.metric = metric,
                             .unit = unit,
                             .rank = {},
                             .warmup_n = 0,
                             .values = std::vector<double>(20, value)});
  };
  add("step_time_s", "s", time_s);
  for (const MetricRequest& request : study.analysis.metrics) {
    if (request.metric != kTrialWallTime) {
      add(request.metric, "1", (request.metric.ends_with("_time_s") ? 0.4 : 1e6) * time_s);
    }
  }
  record.telemetry = {{"parameter_count", 258e3, "parameters"},
                      {"total_bytes", 1e6, "bytes"},
                      {"busbw_factor", 1.0, "1"},
                      {"cpu_s", 3.0, "s"},
                      {"system_s", 0.6, "s"},
                      {"measured_s", 2.0, "s"},
                      {"measured_cpu_energy_j", 100.0, "J"}};
  if (study.parameters.contains("model.sequence")) {
    record.telemetry.push_back({"tokens_per_sample", 2048.0, "tokens"});
  }
  return record;
}

// The study with four trials a cell, analysed; returns its id.
// - more: adds to each trial's record.
inline std::int64_t fill_shipped(
    Store& store,
    const std::filesystem::path& file,
    double foreign_load = kBusy,
    const std::function<void(TrialRecord&)>& more = [](TrialRecord& /*record*/) {}) {
  Study study = declare(scalestudy::read_file(file).value());
  study.trials = Trials();
  study.trials.count = 4;
  const Matrix matrix = expand(study);
  const std::int64_t id = plan(store, study, matrix);
  std::map<std::int64_t, CellRow> cells;
  for (const CellRow& cell : store.cells(id)) {
    cells.emplace(cell.id, cell);
  }
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-01-01T00:00:00Z";
  session.host = "host";
  const std::int64_t session_id = store.begin_session(session, {{"cores", "2"}});
  for (TrialRow trial : store.trials(id)) {
    if (trial.state != TrialState::kPlanned) {
      continue;  // of an excluded cell
    }
    store.mark_running(trial.id, session_id, "2026-01-01T00:00:00Z");
    trial.session_id = session_id;
    TrialRecord record = record_of(study, cells.at(trial.cell_id), trial, foreign_load);
    more(record);
    store.finish_trial(record, false);
  }
  store.end_session(session_id, "2026-01-01T01:00:00Z", SessionEnding::kDone);
  analyse_stored(store, id, study);
  return id;
}

inline report::ReportInput run_shipped(const std::filesystem::path& file) {
  Store store = Store::open_in_memory();
  return report::read_input(store, fill_shipped(store, file));
}

// - name: of a study of the folder `studies`
inline report::ReportInput shipped(const std::string& name) {
  return run_shipped(shared_file("studies") / (name + ".yaml"));
}

}  // namespace scalestudy::test

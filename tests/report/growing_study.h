// A study of `train` of any number of cells, run in a store in memory: how analysis and report
// grow.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "tests/support/planned_study.h"
#include "tests/support/program.h"

namespace scalestudy::test {

inline constexpr int kGrowingSteps = 100;

// 24 cells for each learning rate: 8 batches on 1 and on 2 devices, the latter also without
// communication.
inline std::string growing_text(int learning_rates) {
  std::vector<std::string> rates;
  for (int i = 1; i <= learning_rates; ++i) {
    rates.push_back(fmt::format("{}e-6", i));
  }
  return fmt::format(
      "version: 1\nstudy: growth\ntitle: Growth\nworkload: train\nparameters: {{model: mlp-258k}}\n"
      "axes: {{devices: [1, 2], batch_global: [8, 16, 32, 64, 128, 256, 512, 1024],\n"
      "  learning_rate: [{}]}}\n"
      "steps: {{warmup: 0, measured: {}}}\ntrials: {{count: 3}}\ncontrols: [noop]\n"
      "analysis:\n  baseline: {{devices: 1}}\n"
      "  thresholds: [{{metric: speedup, level: 1.0, along: batch_global}}]\n"
      "  laws: [amdahl]\n"
      "  targets: [{{name: pays, metric: speedup, where: {{devices: 2}}, at_least: 1.5}},\n"
      "    {{name: fast, metric: throughput, at_least: 1000}}]\n"
      "cost: {{per_device_hour: 0.03}}\n",
      fmt::join(rates, ", "),
      kGrowingSteps);
}

inline SeriesRow make_series(const std::string& metric,
                             std::optional<int> rank,
                             double level,
                             int seed) {
  SeriesRow row{.metric = metric, .unit = "s", .rank = rank, .warmup_n = 0, .values = {}};
  for (int step = 0; step < kGrowingSteps; ++step) {
    row.values.push_back(level * (1.0 + 0.01 * std::sin(static_cast<double>(step + 7 * seed))));
  }
  return row;
}

// What a trial of `train` leaves.
inline TrialRecord record_of(const TrialRow& planned, const CellRow& cell, std::int64_t session) {
  TrialRecord record;
  record.trial = planned;
  record.trial.state = TrialState::kOk;
  record.trial.session_id = session;
  record.trial.wall_s = 2.0;
  record.trial.exit_code = 0;
  record.trial.foreign_load = 0.01;
  const auto batch = static_cast<double>(*cell.batch_global);
  const auto devices = static_cast<double>(cell.devices);
  const double noise = 1.0 + 0.02 * std::sin(static_cast<double>(planned.position));
  const double step_s =
      noise * (1e-4 + batch * 1e-5 / devices +
               (cell.devices > 1 && cell.role == CellRole::kMeasured ? 2e-4 : 0.0));
  const int seed = static_cast<int>(planned.position);
  for (const char* part :
       {"forward_time_s", "backward_time_s", "optimizer_time_s", "data_time_s"}) {
    record.series.push_back(make_series(part, {}, step_s / 4.0, seed));
  }
  record.series.push_back(make_series("step_time_s", {}, step_s, seed));
  for (int rank = 0; rank < static_cast<int>(cell.devices); ++rank) {
    record.series.push_back(make_series("step_time_s", rank, 0.99 * step_s, seed + rank));
  }
  record.series.push_back({.metric = "window_time_s",
                           .unit = "s",
                           .rank = {},
                           .warmup_n = 0,
                           .values = {static_cast<double>(kGrowingSteps) * step_s}});
  record.telemetry = {{"parameter_count", 258e3, "parameters"},
                      {"bucket_count", 1.0, "buckets"},
                      {"cores_per_rank", 1.0, "cores"},
                      {"max_rss_bytes", 1e8, "bytes"},
                      {"steal", 0.0, "cores"},
                      {"is_steady", 1.0, "1"},
                      {"threads", 1.0, "threads"}};
  record.logs = {{LogStream::kStdout, "logs/1.out", ""}, {LogStream::kStderr, "logs/1.err", ""}};
  return record;
}

inline void fill(Store& store, std::int64_t id) {
  std::map<std::int64_t, CellRow> cells;
  for (const CellRow& cell : store.cells(id)) {
    cells.emplace(cell.id, cell);
  }
  SessionRow row;
  row.study_id = id;
  row.started_at = "2026-01-01T00:00:00Z";
  const std::int64_t session = store.begin_session(row, {{"cores", "2"}, {"cpu_model", "one"}});
  for (const TrialRow& trial : store.trials(id)) {
    store.mark_running(trial.id, session, "2026-01-01T00:00:00Z");
    store.finish_trial(record_of(trial, cells.at(trial.cell_id), session), false);
  }
  store.end_session(session, "2026-01-01T01:00:00Z", SessionEnding::kDone);
}

struct Seconds {
  double cpu_s = 0.0;  // of this process and of those it started, gnuplot's among them
  double wall_s = 0.0;
};

inline double cpu_s() {
  double total_s = 0.0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      total_s += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return total_s;
}

template <typename Work>
Seconds seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const double start_cpu_s = cpu_s();
  work();
  return {
      .cpu_s = cpu_s() - start_cpu_s,
      .wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

struct GrowingStudy {
  explicit GrowingStudy(int learning_rates)
      : study(declare(growing_text(learning_rates))), store(Store::open_in_memory()) {
    const Matrix matrix = expand(study);
    cells = matrix.cells.size();
    id = plan(store, study, matrix);
    fill(store, id);
  }

  Seconds analyse_again() {
    return seconds_of([&] { store.replace_results(id, analyse(store, id, study)); });
  }

  Seconds report() const {
    const TemporaryFolder folder;
    return seconds_of([&] { report_stored(store, id, folder.path() / "report"); });
  }

  Study study;
  Store store;
  std::int64_t id = 0;
  std::size_t cells = 0;
};

}  // namespace scalestudy::test

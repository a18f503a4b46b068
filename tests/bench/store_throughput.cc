// Inserting and reporting 1 M and 10 M samples, against the sqlite3 shell's own scan of the same
// file.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "tests/bench/stopwatch.h"
#include "tests/support/planned_study.h"
#include "tests/support/program.h"

namespace {

using namespace scalestudy;  // NOLINT(google-build-using-namespace): one small program
using test::seconds;

constexpr int kSteps = 1000;

std::string study_text(int trials_per_cell) {
  return fmt::format(
      "version: 1\nstudy: throughput\ntitle: Store throughput\nworkload: command\n"
      "command: [\"true\", \"{{devices}}\", \"{{batch_global}}\"]\n"
      "axes: {{devices: [1, 2], batch_global: [64, 128]}}\n"
      "steps: {{warmup: 0, measured: {}}}\ntrials: {{count: {}}}\nanalysis: {{baseline: {{devices: "
      "1}}}}\n",
      kSteps,
      trials_per_cell);
}

// Every planned trial ends ok with `kSteps` values.
void fill(Store& store, std::int64_t id) {
  SessionRow row;
  row.study_id = id;
  row.started_at = "2026-01-01T00:00:00Z";
  const std::int64_t session = store.begin_session(row, {});
  for (TrialRow trial : store.trials(id)) {
    store.mark_running(trial.id, session, "2026-01-01T00:00:00Z");
    SeriesRow series{.metric = "step_time_s", .unit = "s", .rank = {}, .warmup_n = 0, .values = {}};
    for (int step = 0; step < kSteps; ++step) {
      series.values.push_back(0.01 + 1e-4 * std::sin(static_cast<double>(step + trial.position)));
    }
    trial.state = TrialState::kOk;
    trial.session_id = session;
    trial.wall_s = 10.0;
    trial.exit_code = 0;
    store.finish_trial({.trial = trial, .series = {series}, .telemetry = {}, .logs = {}}, false);
  }
  store.end_session(session, "2026-01-01T01:00:00Z", SessionEnding::kDone);
}

void measure(int trials_per_cell) {
  const test::TemporaryFolder folder;
  const Study study = test::declare(study_text(trials_per_cell));
  const Matrix matrix = expand(study);
  Store store = Store::open(folder.path());
  const std::int64_t id = test::plan(store, study, matrix);
  const double samples =
      static_cast<double>(trials_per_cell) * static_cast<double>(matrix.cells.size()) * kSteps;
  const double insert_s = seconds([&] { fill(store, id); });
  const double report_s = seconds([&] {
    test::analyse_stored(store, id, study);
    test::report_stored(store, id, folder.path() / "report");
  });
  const double scan_s = seconds([&] {
    test::run_program({"sqlite3",
                       folder.file("results.db"),
                       "SELECT count(*), sum(value) FROM samples WHERE metric = 'step_time_s'"});
  });
  fmt::print(
      "store_throughput: {:.0f} samples: insert {:.2f} s ({:.2f} M/s), analyse and report {:.2f} "
      "s, sqlite3 "
      "scan {:.2f} s; report / scan {:.2f}\n",
      samples,
      insert_s,
      samples / insert_s / 1e6,
      report_s,
      scan_s,
      report_s / scan_s);
}

}  // namespace

int main() {
  measure(250);
  measure(2500);
}

// Looks at a store with 100,000 trials of 10,000 cells, the planning of such a study, and a site of
// 100 studies, each beside the least that SQLite itself needs for the same rows.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "tests/bench/training.h"
#include "tests/support/planned_study.h"
#include "tests/support/program.h"

namespace {

using namespace scalestudy;  // NOLINT(google-build-using-namespace): one small program
using test::run_program;
using test::seconds;
using test::TemporaryFolder;

constexpr int kRounds = 7;

std::string study_text(const std::string& name, int levels, int trials) {
  std::vector<int> values(static_cast<std::size_t>(levels));
  for (int i = 0; i < levels; ++i) {
    values[static_cast<std::size_t>(i)] = i + 1;
  }
  return fmt::format(
      "version: 1\nstudy: {}\ntitle: Large\nworkload: command\n"
      "command: [\"true\", \"{{devices}}\", \"{{batch_global}}\", \"{{level}}\"]\n"
      "axes: {{devices: [1, 2], batch_global: [8, 16, 32, 64, 128], level: [{}]}}\n"
      "trials: {{count: {}}}\nextract: [{{metric: step_time_s, from: wall_time}}]\n"
      "analysis: {{baseline: {{devices: 1}}}}\n",
      name,
      fmt::join(values, ", "),
      trials);
}

void run(const std::vector<std::string>& argv) {
  test::require_ok(run_program(argv), argv.at(0).c_str());
}

std::vector<std::string> verb(const TemporaryFolder& folder,
                              const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{
      SCALESTUDY_TEST_BIN "/scalestudy", "--quiet", "--results", folder.path().string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::vector<std::string> sqlite(const TemporaryFolder& folder, const std::string& sql) {
  return {"sqlite3", folder.file("results.db"), sql};
}

// All planned trials end ok, each with ten values.
void fill(const TemporaryFolder& folder) {
  run(sqlite(folder,
             "INSERT INTO session(uid, study_id, started_at, finished_at, ending, host, "
             "tool_version, tool_revision, study_hash, order_seed) SELECT hex(randomblob(8)), id, "
             "'2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'done', 'here', '', '', hash, '1' "
             "FROM study;"
             "UPDATE trial SET state = 'ok', started_at = '2026-01-01T00:00:00Z', wall_s = 1, "
             "exit_code = 0, session_id = (SELECT id FROM session "
             "WHERE session.study_id = trial.study_id);"
             "INSERT INTO metric(name, unit) VALUES ('step_time_s', 's');"
             "INSERT INTO series(trial_id, metric_id, warmup_n, n, mean, sd, min, p50, p95, p99, "
             "max, values_json) SELECT id, 1, 0, 10, 1, 0, 1, 1, 1, 1, 1, "
             "'[1,1,1,1,1,1,1,1,1,1]' FROM trial"));
}

// The median times of both, by turns.
void compare(const std::string& what,
             const std::vector<std::string>& ours,
             const std::vector<std::string>& peers) {
  std::vector<double> own_s;
  std::vector<double> peer_s;
  for (int round = 0; round < kRounds; ++round) {
    own_s.push_back(seconds([&] { run(ours); }));
    peer_s.push_back(seconds([&] { run(peers); }));
  }
  fmt::print("large_store: {} {:.3f} s, sqlite3 {:.3f} s; {} of sqlite3\n",
             what,
             test::median(own_s),
             test::median(peer_s),
             test::median_ratio(own_s, peer_s));
}

void look_at_trials() {
  const TemporaryFolder folder;
  const Study study = test::declare(study_text("large", 1000, 10));
  const std::string copy = folder.file("copy.db");
  {
    const double expand_s = seconds([&] { expand(study); });
    Store store = Store::open(folder.path());
    const double plan_s = seconds([&] { test::plan(store, study, expand(study)); });
    const double copy_s = seconds([&] {
      run({"sqlite3",
           copy,
           fmt::format("ATTACH '{}' AS whole; CREATE TABLE trial AS SELECT * FROM whole.trial; "
                       "CREATE UNIQUE INDEX place ON trial(cell_id, plan, block, attempt); "
                       "CREATE INDEX position ON trial(study_id, position, attempt); "
                       "CREATE TABLE cell_parameter AS SELECT * FROM whole.cell_parameter",
                       folder.file("results.db"))});
    });
    fmt::print(
        "large_store: planning 10,000 cells x 10 trials {:.2f} s ({:.2f} s of it: the matrix), "
        "sqlite3's copy of the rows {:.2f} s; ratio {:.2f}\n",
        plan_s,
        expand_s,
        copy_s,
        plan_s / copy_s);
  }
  fill(folder);
  const std::string count = "SELECT state, count(*) FROM trial GROUP BY state";
  compare("list", verb(folder, {"list"}), sqlite(folder, count));
  compare("status", verb(folder, {"status"}), sqlite(folder, count));
  compare(
      "show 1",
      verb(folder, {"show", "1"}),
      sqlite(folder, "SELECT * FROM trial JOIN series ON trial_id = trial.id WHERE trial.id = 1"));
}

void publish_studies() {
  constexpr int studies = 100;
  const TemporaryFolder folder;
  for (int i = 0; i < studies; ++i) {
    const Study study = test::declare(study_text(fmt::format("study-{}", i), 1, 5));
    Store store = Store::open(folder.path());
    test::plan(store, study, expand(study));
  }
  fill(folder);
  const double site_s = seconds([&] { run(verb(folder, {"publish", folder.file("site")})); });
  const double again_s = seconds([&] { run(verb(folder, {"publish", folder.file("site")})); });
  std::vector<double> reports_s;
  for (int i = 0; i < kRounds; ++i) {
    const std::string name = fmt::format("study-{}", i);
    reports_s.push_back(seconds([&] { run(verb(folder, {"report", name})); }));
  }
  fmt::print(
      "large_store: publish of {} studies {:.2f} s, again {:.2f} s; {:.2f} of so many reports one "
      "by one\n",
      studies,
      site_s,
      again_s,
      site_s / studies / test::median(reports_s));
}

}  // namespace

int main() {
  look_at_trials();
  publish_studies();
}

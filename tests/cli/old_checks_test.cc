// Studies that `validate` refuses today, from a store of the time when it did not: they are still
// reported, compared, exported and merged. The fixture was made by the tool at revision be4db879
// (schema 31) and is never made anew; what is refused of each study file:
//   threads  OMP_NUM_THREADS as an axis of train      metric   a metric that no trial has, and an
//   command  no rule for step_time_s                           exclude rule that excludes nothing
//   memory   nothing; its mem_bytes are in MB
#include <fstream>
#include <map>
#include <sstream>

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;

namespace {

constexpr auto kNames = {"threads", "metric", "command", "memory"};

class OldStudies {
 public:
  OldStudies() {
    std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/tests/fixtures/old-checks",
                          folder_.path(),
                          std::filesystem::copy_options::recursive);
  }

  std::string file(const std::string& name) const { return folder_.file(name); }

  ProgramResult run(const std::string& results, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SCALESTUDY_TEST_BIN "/scalestudy", "--results", folder_.file(results)});
    return test::run_program(arguments);
  }

  std::string query(const std::string& sql, const std::string& results = "results") const {
    const ProgramResult result = run(results, {"query", sql, "--format", "csv"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out.substr(result.out.find('\n') + 1);
  }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("studies that are refused today are still reported from the store", "[cli]") {
  const OldStudies old;

  for (const std::string name : kNames) {
    const ProgramResult result = old.run("results", {"report", "old-" + name});
    INFO(name << ": " << result.err);
    CHECK(result.exit_code == 0);
  }

  CHECK(old.query("SELECT study, count(*) FROM results WHERE variant = 'all' AND step_time_s > 0 "
                  "GROUP BY study ORDER BY study") ==
        "old-memory,2\nold-metric,2\nold-threads,4\n");
  CHECK_THAT(test::read_pages(old.file("results/reports/old-threads/report.md")),
             Contains("env.OMP_NUM_THREADS"));
  // By hand: the trials printed 101 and 102.
  CHECK(old.query("SELECT value, unit FROM estimate WHERE metric = 'mem_bytes' AND variant = "
                  "'all' AND statistic = 'mean' ORDER BY value") == "101,MB\n102,MB\n");
}

TEST_CASE("sessions of studies that are refused today are still compared", "[cli]") {
  const OldStudies old;

  const ProgramResult threads = old.run("results", {"compare", "old-threads@1", "@2"});
  const ProgramResult metric = old.run("results", {"compare", "old-metric@3", "@4"});

  INFO(threads.err << metric.err);
  CHECK_THAT(threads.out, Contains("OMP_NUM_THREADS=2"));
  CHECK_THAT(metric.out, Contains("batch 16"));
}

TEST_CASE("studies that are refused today are still exported, imported and merged", "[cli]") {
  const OldStudies old;
  const std::string count = "SELECT study, count(*) FROM trials GROUP BY study ORDER BY study";
  const std::string trials = "old-command,5\nold-memory,4\nold-metric,4\nold-threads,8\n";
  REQUIRE(old.query(count) == trials);

  const ProgramResult exported = old.run("results", {"export", "--all", old.file("out")});
  INFO(exported.err);
  REQUIRE(exported.exit_code == 0);
  const ProgramResult imported = old.run("imported", {"import", old.file("out")});
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  const ProgramResult merged = old.run("merged", {"merge", old.file("results")});
  INFO(merged.err);
  REQUIRE(merged.exit_code == 0);

  CHECK(old.query(count, "imported") == trials);
  CHECK(old.query(count, "merged") == trials);
  for (const std::string results : {"imported", "merged"}) {
    for (const std::string name : kNames) {
      const ProgramResult result = old.run(results, {"report", "old-" + name});
      INFO(results << " " << name << ": " << result.err);
      CHECK(result.exit_code == 0);
    }
  }
}

TEST_CASE("what is reported from the store is refused in its study file", "[cli]") {
  const OldStudies old;
  const std::map<std::string, std::string> problems = {
      {"threads", "threads.yaml:6:3: env.OMP_NUM_THREADS has no effect"},
      {"metric", "metric.yaml:12:22: analysis.metrics[0].metric: no trial of train has"},
      {"command", "command.yaml:7:10: extract: no rule gives step_time_s"}};

  for (const auto& [name, problem] : problems) {
    for (const char* verb : {"validate", "plan", "run"}) {
      const ProgramResult result = old.run("results", {verb, old.file(name + ".yaml")});
      INFO(verb << ": " << result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Contains(problem));
    }
  }
  const ProgramResult exclude = old.run(
      "results",
      {"validate", old.file("metric.yaml"), "--set", "analysis={baseline: {batch_global: 8}}"});
  CHECK(exclude.exit_code == 2);
  CHECK_THAT(exclude.err,
             Contains("metric.yaml:7:12: exclude rule 1: no cell has batch_global=64"));
}

// What trials of train left in the store, but for what analysis compares anyway or keeps to itself.
TEST_CASE("every metric that trials have may be asked for", "[cli]") {
  const OldStudies old;
  std::istringstream names(
      old.query("SELECT DISTINCT name FROM (SELECT metric AS name FROM trial_metrics UNION SELECT "
                "name FROM telemetry) WHERE name NOT LIKE 'setting.%' AND name NOT "
                "IN ('mem_bytes', 'step_time_s', 'steal', 'window_time_s')"));
  std::string study =
      "version: 1\nstudy: all\nworkload: train\naxes: {batch_global: [8, 16]}\n"
      "analysis:\n  baseline: {batch_global: 8}\n  metrics:\n";
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    study += "  - {metric: " + name + ", better: lower}\n";
  }
  REQUIRE(count > 50);
  std::ofstream(old.file("all.yaml")) << study;

  const ProgramResult result = old.run("results", {"validate", old.file("all.yaml")});

  INFO(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("a metric that was stored in MB is in bytes once its outputs are read again", "[cli]") {
  const OldStudies old;

  const ProgramResult result = old.run("results", {"extract", old.file("memory.yaml"), "--yes"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(old.query("SELECT value, unit FROM estimate WHERE metric = 'mem_bytes' AND variant = "
                  "'all' AND statistic = 'mean' ORDER BY value") ==
        "101000000,bytes\n102000000,bytes\n");
}

// Both came from outside the program, by `merge` of a stranger's store or a stranger's hand.
TEST_CASE("a series with more warm-up than values is named by whoever reads it", "[cli]") {
  const OldStudies old;
  const auto set = [&](const std::string& warmup_n) {
    SQLite::Database(old.file("results/results.db"), SQLite::OPEN_READWRITE)
        .exec("UPDATE series SET warmup_n = " + warmup_n);
  };
  for (const char* warmup_n : {"2", "4294967297", "1000000000000"}) {
    CAPTURE(warmup_n);
    set(warmup_n);
    for (const ProgramResult& result : {old.run("results", {"extract", old.file("memory.yaml")}),
                                        old.run("merged", {"merge", old.file("results")})}) {
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Contains("results.db: ") && Contains("another program changed it"));
    }
  }
}

TEST_CASE("a stored study with cells of no device is not run and not divided by", "[cli]") {
  const OldStudies old;
  SQLite::Database(old.file("results/results.db"), SQLite::OPEN_READWRITE)
      .exec("UPDATE study SET source_text = replace(source_text, 'devices: [1', 'devices: [0')");

  const ProgramResult plan = old.run("results", {"plan", "old-threads"});
  const ProgramResult merged = old.run("merged", {"merge", old.file("results")});

  CHECK(plan.exit_code == 2);
  CHECK_THAT(plan.err, Contains("has 0 devices on 1 nodes"));
  CHECK(merged.exit_code == 2);
  CHECK_THAT(merged.err, Contains("study old-threads: its text does not match its hash"));
}

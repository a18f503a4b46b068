// Studies that `validate` refuses today, from a store of the time when it did not: they are still
// reported, compared, exported and merged. The fixture was made by the tool at revision be4db879
// (schema 31) and is never made anew; what is refused of each study file:
//   threads  OMP_NUM_THREADS as an axis of train      metric   a metric that no trial has, and an
//   command  no rule for step_time_s                           exclude rule that excludes nothing
//   memory   nothing; mem_bytes is stored in MB
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
  CHECK_THAT(test::read_file(old.file("results/reports/old-threads/report.md")),
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

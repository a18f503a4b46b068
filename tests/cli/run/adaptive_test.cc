// Studies that stop at a precision, from the file to the report.
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using Catch::Matchers::Contains;

// The reasons that stopped the cells and what was planned, once each.
ProgramResult stops(const Workspace& workspace) {
  return workspace.run(
      {"query",
       "SELECT DISTINCT status || ' ' || n || '/' || n_planned AS stop FROM estimate "
       "WHERE statistic = 'relative_half_width'",
       "--format",
       "csv"});
}

TEST_CASE("a study that is precise enough stops, and says so cell by cell", "[cli]") {
  const Workspace workspace;
  const std::string trials = "trials={min: 3, max: 12, until: 5%}";

  const ProgramResult run = workspace.run({"run", workspace.study(), "--set", trials});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("20 ok, 28 skipped"));
  // Three trials of half a percent are within 5 %; two more are run. The skipped ones are no gap.
  CHECK(stops(workspace).out == "stop\nprecision 5/5\n");

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string report = read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(report, Contains("In all rows: n = 5; Stopped by = precision;"));
  CHECK_THAT(report, Contains("4 of 4 cells met it, first after 3 trials."));
  CHECK_THAT(report, Contains("all stop when all have enough, or at 12"));
}

TEST_CASE("a study that never gets precise enough does not claim to have stopped at its target",
          "[cli]") {
  const Workspace workspace(study_text("scatter"));

  workspace.run({"run", workspace.study(), "--set", "trials={min: 2, max: 4, until: 0.01%}"});
  CHECK(stops(workspace).out == "stop\nbudget 4/4\n");

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string report = read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(report, Contains("0 of 4 cells met it. 4 cells did not within the trials planned"));
  CHECK_THAT(report, Contains("Stopped by = the number planned"));
}

TEST_CASE("a study that was cut short says by what", "[cli]") {
  const Workspace workspace;
  const std::string trials = "trials={min: 3, max: 12, until: 5%}";

  workspace.run({"run", workspace.study(), "--set", trials, "--max-trials", "4"});
  CHECK(stops(workspace).out == "stop\nunfinished 1/12\n");

  const Workspace short_of_time;
  short_of_time.run(
      {"run", short_of_time.study(), "--set", trials, "--set", "limits.max_time=1ms"});
  CHECK_THAT(stops(short_of_time).out, Contains("time 1/12") && Contains("time 0/12"));
}

const std::string kForVerdicts = "trials={min: 8, max: 30, for: verdicts}";

TEST_CASE("a run for verdicts stops a cell when its comparison is decided", "[cli]") {
  const Workspace workspace(over_workers(study_text()));

  const ProgramResult run = workspace.run({"run", workspace.study(), "--set", kForVerdicts});
  CHECK(run.exit_code == 0);
  // Twice the speed at half a percent: the first look decides both pairs.
  CHECK_THAT(run.err, Contains("32 ok, 88 skipped"));
  CHECK_THAT(run.out + run.err, Contains("± and brackets: 95 % (comparisons: 9"));
  const auto verdicts = [&] {
    return workspace
        .run({"query",
              "SELECT verdict, n, p_value < p_adjusted AS is_adjusted FROM comparison "
              "WHERE quantity = 'speedup'",
              "--format",
              "csv"})
        .out;
  };
  CHECK(verdicts() == "verdict,n,is_adjusted\nfaster,8,1\nfaster,8,1\n");

  // Another run looks again, and decides alike.
  CHECK_THAT(workspace.run({"run", workspace.study(), "--set", kForVerdicts}).err,
             Contains("32 ok, 88 skipped"));

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string report = read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(report,
             Contains("looks after 8, 12, 18, 27, 30 trials") && Contains("Decided: 2 of 2"));
  CHECK_THAT(report, !Contains("This is a look before the planned end"));
}

TEST_CASE("a run for verdicts that is interrupted between blocks decides as one that was not",
          "[cli][slow]") {
  const Workspace whole(over_workers(study_text("scatter")));
  const Workspace parts(over_workers(study_text("scatter")));
  const std::string states =
      "SELECT hash, block, trial.state FROM trial JOIN cell ON cell.id = cell_id "
      "ORDER BY hash, block";
  const auto states_of = [&](const Workspace& workspace) {
    return workspace.run({"query", states, "--format", "csv"}).out;
  };

  const std::string batches =
      "axes.batch_global=[20, 24, 1000]";  // equal in time, nearly so, apart
  whole.run({"run", whole.study(), "--set", batches, "--set", kForVerdicts});
  for (int part = 0; part < 6; ++part) {
    parts.run({"run",
               parts.study(),
               "--set",
               batches,
               "--set",
               kForVerdicts,
               "--max-trials",
               "24"});  // whole blocks
  }
  parts.run({"run", parts.study(), "--set", batches, "--set", kForVerdicts});

  CHECK_THAT(states_of(whole), Contains("skipped") && Contains(",29,ok"));
  CHECK(states_of(whole) == states_of(parts));
}

TEST_CASE("a cell that can never run holds up no other", "[cli]") {
  const Workspace workspace;
  // A program that ends with 77 says that the setting is not supported.
  std::ofstream(workspace.file("two.sh"))
      << "#!/bin/sh\n[ \"$1\" = 2 ] && exit 77\nexec \"" SCALESTUDY_SOURCE_DIR
         "/tests/cli/trainer.sh\" \"$@\"\n";
  const ProgramResult run = workspace.run(
      {"run",
       workspace.study(),
       "--set",
       "trials={min: 3, max: 12, until: 5%}",
       "--set",
       "command=[sh, " + workspace.file("two.sh") + ", '{devices}', '{batch_global}', '-']"});

  INFO(run.err);
  CHECK_THAT(run.err, Contains("10 ok") && Contains("10 unsupported") && Contains("28 skipped"));
}

}  // namespace
}  // namespace scalestudy::test

// Black box: what a run and its report claim follows from what was measured.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::read_file;
using scalestudy::test::report_of;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// A study "demo" of a shell command that prints one step time a line, in seconds.
std::string printing_study(const std::string& shell, const std::string& rest) {
  return "version: 1\n"
         "study: demo\n"
         "workload: command\n"
         "command: [sh, -c, \"" +
         shell +
         "\"]\n"
         "extract: [{metric: step_time_s, unit: s, regex: 't=([-0-9.a-z]+)'}]\n" +
         rest;
}

// 100 samples on one device, 200 on two.
std::string zip_study(int trials, const std::string& analysis) {
  return "version: 1\n"
         "study: demo\n"
         "workload: command\n"
         "command: [" SCALESTUDY_SOURCE_DIR
         "/tests/cli/trainer.sh, \"{devices}\", \"{batch_global}\", \"-\"]\n"
         "zip: [{devices: 1, batch_global: 100}, {devices: 2, batch_global: 200}]\n"
         "steps: {warmup: 2, measured: 10}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: " +
         std::to_string(trials) +
         "}\n"
         "analysis: {baseline: {devices: 1}, " +
         analysis + "}\n";
}

}  // namespace

TEST_CASE("times of zero, below it and without end are invalid, and meet no target", "[cli]") {
  const Workspace workspace(
      printing_study("for i in 1 2 3; do echo t={time}; done",
                     "axes: {time: [\"0.0\", \"-1.5\", \"inf\", \"0.5\"]}\n"
                     "steps: {warmup: 1, measured: 2}\n"
                     "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
                     "limits: {retries: 1}\n"
                     "analysis:\n"
                     "  targets: [{name: fast, metric: step_time_s, at_most: 1s}]\n"));
  CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);
  const std::string report = report_of(workspace);

  CHECK(query_csv(workspace,
                  "SELECT label, state, count(*) AS n FROM trials GROUP BY 1, 2 ORDER BY 1") ==
        "label,state,n\ntime=-1.5,invalid,2\ntime=0.0,invalid,2\ntime=0.5,ok,2\n"
        "time=inf,invalid,2\n");
  CHECK_THAT(report, Contains("stdout line 2: step_time_s: a step cannot take -1.5 s"));
  CHECK_THAT(report, Contains("'inf' is not finite, a finite number is required"));
  CHECK_THAT(report, !Contains("met for time=0.0") && !Contains("met for time=-1.5"));
}

TEST_CASE("weak scaling by rows of zip is weak in run and report", "[cli]") {
  const Workspace workspace(zip_study(5, "laws: [amdahl]"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string report = report_of(workspace);

  // By hand: 100 samples in 10 ms on one device, 200 in 11 ms on two: 2 x 10 / 11 = 1.82.
  CHECK(query_csv(workspace,
                  "SELECT scaling, round(speedup, 1) AS speedup FROM speedups WHERE devices = 2") ==
        "scaling,speedup\nweak,1.8\n");
  CHECK_THAT(report, Contains("weak scaling: the batch per device stays the same"));
  CHECK_THAT(report, Contains("Amdahl's law is about a fixed global batch (strong scaling)"));
}

TEST_CASE("curves and comparisons over rows of zip name their trials", "[cli]") {
  skip_on_one_core();
  const Workspace workspace(
      zip_study(3, "laws: [usl], thresholds: [{metric: speedup, level: 1.5, along: devices}]"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  report_of(workspace);
  const std::string data = workspace.results() + "/reports/demo/data/";

  for (const char* curve : {"thresholds.csv", "laws.csv"}) {
    CHECK_THAT(read_file(data + curve), Contains(",1 2 3 4 5 6"));
  }
  // To SQL as well: three of each side, of both cells.
  CHECK(
      query_csv(workspace,
                "SELECT kind, side, count(DISTINCT trial) AS n, count(DISTINCT cell) AS cells FROM "
                "evidence JOIN trials USING (study, trial) GROUP BY 1, 2 ORDER BY 1, 2") ==
      "kind,side,n,cells\ncomparison,baseline,3,1\ncomparison,cell,3,1\nestimate,,6,2\n"
      "law,,6,2\nthreshold,,6,2\n");
}

TEST_CASE("a report asked for by an edited file says that the stored study is another", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(workspace.run({"report", workspace.study()}).err,
             !Contains("differs from the stored study"));

  write_file(workspace.study(), study_text("-", "  margin: 5%\n"));
  const ProgramResult edited = workspace.run({"report", workspace.study()});
  CHECK(edited.exit_code == 0);
  CHECK_THAT(edited.err, Contains("differs from the stored study of that name"));
  CHECK_THAT(edited.err, Contains("analysis.margin: 0.02 -> 0.05"));
}

TEST_CASE("constant times, and estimates without flagged trials, have no interval to show",
          "[cli]") {
  const Workspace workspace(
      printing_study("for i in 1 2 3 4 5 6; do echo t=0.{time}; done",
                     "axes: {time: [25, 50]}\n"
                     "steps: {warmup: 1, measured: 5}\n"
                     "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 3}\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const std::string report = report_of(workspace);
  CHECK_THAT(report,
             Contains("### Warning: zero variance\n\n- The step time is the same in all trials"));
  CHECK(query_csv(workspace,
                  "SELECT DISTINCT variant, status, step_time_s_lo IS NULL AS open FROM results "
                  "WHERE variant IN ('all', 'unflagged')") ==
        "variant,status,open\nall,zero_variance,0\nunflagged,unflagged,1\n");
}

TEST_CASE("a failure that a retry made good is told where slow launches fail", "[cli]") {
  const Workspace workspace(
      printing_study("if [ $SCALESTUDY_TRIAL$SCALESTUDY_ATTEMPT = 11 ]; then sleep 9; fi; "
                     "for i in 1 2 3; do echo t=0.$i$SCALESTUDY_TRIAL; done",
                     "steps: {warmup: 1, measured: 2}\n"
                     "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 12}\n"
                     "limits: {timeout: 1s, retries: 1}\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK_THAT(report_of(workspace),
             Contains("### Warning: retried failures\n\n- 1 attempt (timeout 1)"));
}

TEST_CASE("a report before the end, and one after the count was raised, say what p promises",
          "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  CHECK_THAT(
      report_of(workspace),
      Contains("### Warning: sequential\n\n- This is a look before the planned end: 12 of 20 "
               "trials have ended."));

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string finished = report_of(workspace);
  CHECK_THAT(finished, !Contains("sequential"));
  CHECK(report_of(workspace) == finished);

  const std::vector<std::string> raise = {
      "run", workspace.study(), "--set", "trials.count=6", "--accept-changes"};
  REQUIRE(workspace.run(raise).exit_code == 0);
  const std::string raised = report_of(workspace);
  CHECK_THAT(
      raised,
      Contains("The number of trials of each cell was changed after trials had run (5 -\\> 6)."));
  CHECK_THAT(raised, Contains("Earlier results were printed after 12, 20 trials."));
}

TEST_CASE("order batch is warned of in every report", "[cli]") {
  std::string text = study_text();
  text.replace(text.find("limits:"), 0, "order: {design: batch}\n");
  const Workspace workspace(text);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK_THAT(report_of(workspace),
             Contains("### Warning: batch order\n\n- All trials of a cell ran in a row"));
}

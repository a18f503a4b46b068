// Black box: `report --lint`, its words and exit codes.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_pages;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;

TEST_CASE("report --lint exits 4 and says what to do where a rule is broken", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult linted = workspace.run({"report", "demo", "--lint", "--full"});

  CHECK(linted.exit_code == 4);
  CHECK_THAT(linted.out,
             Contains("sessions: all trials come from one session; to fix it: run again"));
  CHECK_THAT(linted.out, Contains("controls: missing: aa"));
  CHECK_THAT(linted.out, !Contains("trials: fewer"));  // there are five
  CHECK_THAT(read_pages(workspace.file("results/reports/demo/report.md")),
             Contains("## Rules of reporting") && Contains("**sessions:**"));
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check", "--lint"}).exit_code == 4);
}

TEST_CASE("report --lint exits 0 where every rule is kept", "[cli]") {
  skip_on_one_core();
  const Workspace workspace(study_text() + "controls: [aa]\n");
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult linted = workspace.run({"report", "demo", "--lint", "--full"});

  INFO(linted.out);
  CHECK(linted.exit_code == 0);
  CHECK_THAT(linted.err, Contains("no rule of reporting that applies is broken"));
  CHECK_THAT(read_pages(workspace.file("results/reports/demo/report.md")),
             Contains("No rule that applies is broken."));
}

TEST_CASE("a study of which no trial ended ok keeps no rule and is not to be trusted", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, \"exit {devices}\"]\nsteps: "
      "{warmup: 1, measured: rest}\naxes: {devices: [1, 2]}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 5}\ncontrols: "
      "[aa]\nanalysis: {baseline: "
      "{devices: 1}}\n"
      "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n");
  CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);

  const ProgramResult linted = workspace.run({"report", "demo", "--lint", "--full"});

  CHECK(linted.exit_code == 4);
  CHECK_THAT(linted.out, Contains("trials: fewer than five trials: 1 device (0); 2 devices (0)"));
  CHECK_THAT(linted.err, Contains("1 rule of reporting is broken"));
  const std::string page = read_pages(workspace.file("results/reports/demo/report.md"));
  CHECK_THAT(page,
             Contains("**How far to trust this: not at all** (nothing was measured, 0 of ") &&
                 Contains("Rules met: controls. The") &&
                 Contains(" (`analysis.margin` has its default)."));
}

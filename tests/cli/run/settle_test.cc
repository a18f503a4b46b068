// Black box: what would settle an open answer, and `run --settle`, which does it.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::report_of;
using scalestudy::test::Workspace;

namespace {

// A study "demo" whose size 2 takes about `more` us longer than the 1000 us of size 1. Both spread
// by a few percent, each in its own way, the same in every run.
std::string study(int more) {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [sh, -c, 'b=$((SCALESTUDY_BLOCK + 1)); if [ {size} = 1 ]; "
         "then t=$((1000 + 12 * ((b * 7 + 13) % 11 - 5))); "
         "else t=$((" +
         std::to_string(1000 + more) +
         " + 12 * ((b * b * 7 + 26 + 3 * b) % 11 - 5))); fi; "
         "for i in 1 2 3; do echo t=$t; done']\n"
         "axes: {size: [1, 2]}\nsteps: {warmup: 1, measured: 2}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 5}\n"
         "extract: [{metric: step_time_s, unit: us, regex: \"t=(.*)\"}]\n"
         "analysis: {baseline: {size: 1}, margin: 1%}\n";
}

std::string verdict_of(const Workspace& workspace) {
  const std::string csv = query_csv(workspace, "SELECT verdict FROM speedups");
  return csv.substr(csv.find('\n') + 1);
}

}  // namespace

TEST_CASE("an open answer says how many blocks would settle it, on the terminal and in the report",
          "[cli]") {
  const Workspace workspace(study(40));
  const ProgramResult run = workspace.run({"run", workspace.study()});

  REQUIRE(verdict_of(workspace) == "no significant difference\n");
  CHECK_THAT(run.err, Contains(" would probably settle 1 open comparison (size 2)."));
  CHECK_THAT(run.err,
             Contains("To run them (a second look, as the report will say): scalestudy --results " +
                      workspace.results() + " run demo --set trials.count=1"));
  CHECK_THAT(report_of(workspace), Contains("**Next:** ") && Contains("would probably settle"));

  const Workspace decided(study(200));
  CHECK_THAT(decided.run({"run", decided.study()}).err, !Contains("settle"));
  CHECK_THAT(report_of(decided), !Contains("**Next:**"));
}

TEST_CASE("run --settle runs those blocks, and the report tells of the look before", "[cli]") {
  const Workspace workspace(study(40));
  const ProgramResult run = workspace.run({"run", "--settle", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("They run now."));
  CHECK(verdict_of(workspace) == "slower\n");
  CHECK_THAT(query_csv(workspace, "SELECT finding FROM threats WHERE kind = 'sequential'"),
             Contains("(5 -> 1") && Contains("Earlier results were printed after 10 trials."));
  // One further look: another call finds nothing open.
  const std::string trials = query_csv(workspace, "SELECT count(*) FROM trials");
  workspace.run({"run", "--settle", "demo"});
  CHECK(query_csv(workspace, "SELECT count(*) FROM trials") == trials);
}

TEST_CASE("run --settle stays within its budget", "[cli]") {
  const Workspace workspace(study(40));
  const ProgramResult run = workspace.run({"run", workspace.study(), "--settle=1us"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("The blocks that fit into the budget would probably not settle it"));
  CHECK(query_csv(workspace, "SELECT count(*) AS n FROM trials") == "n\n10\n");
  const ProgramResult both =
      workspace.run({"run", workspace.study(), "--settle", "--max-trials", "4"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("--max-trials: --settle chooses how many trials to add."));
  CHECK_THAT(workspace.run({"run", workspace.study(), "--settle"}, {"SCALESTUDY_BLOCKS=1-2"}).err,
             Contains("scalestudy: SCALESTUDY_BLOCKS: --settle chooses how many trials to add."));

  const ProgramResult wrong = workspace.run({"run", workspace.study(), "--settle=soon"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("--settle=soon: needs a duration"));
}

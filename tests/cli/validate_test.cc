// What validate says of study files.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("validate reads standard input and reports every file", "[cli]") {
  const Workspace workspace;
  CHECK_THAT(workspace.run({"validate", "-"}, {}, study_text()).out,
             Contains("4 cells, 20 trials"));
  CHECK_THAT(workspace
                 .run({"validate",
                       "-",
                       "--set",
                       "axes={devices: [1], batch_global: [100]}",
                       "--set",
                       "trials.count=1"},
                      {},
                      study_text())
                 .out,
             Contains("1 cell, 1 trial\n"));
  write_file(workspace.file("bad.yaml"), "version: 2\n");
  const ProgramResult both =
      workspace.run({"validate", workspace.file("bad.yaml"), workspace.study()});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("bad.yaml:1:"));
  CHECK_THAT(both.out, Contains("demo.yaml: valid: study demo, 4 cells, 20 trials\n"));
}

TEST_CASE("validate says that a law needs three device counts", "[cli]") {
  const Workspace workspace(study_text("-", "  laws: [amdahl]\n"));
  const std::string told = "analysis.laws: a law needs at least 3 device counts";
  CHECK_THAT(workspace.run({"validate", workspace.study()}).err, Contains(told));
  CHECK_THAT(workspace.run({"plan", workspace.study()}).err, !Contains(told));
}

TEST_CASE("validate says that nothing counts the tokens that are asked for", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [echo, '1']\n"
      "extract: [{metric: step_time_s, unit: s, regex: '(.*)'}]\n"
      "analysis: {targets: [{name: t, metric: tokens_per_second, at_least: 9}]}\n");
  CHECK_THAT(workspace.run({"validate", workspace.study()}).err,
             Contains("analysis.targets asks about tokens, but nothing says how many"));
}

TEST_CASE("validate says which target no cell can meet for want of an efficiency", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [echo, '{devices}']\n"
      "axes: {devices: [1, 2]}\nparameters: {batch_global: 8}\nanalysis: {baseline: {devices: 1}, "
      "targets: [{name: t, metric: efficiency, where: {devices: 1}, at_least: 80%}]}\n");
  CHECK_THAT(workspace.run({"validate", workspace.study()}).err,
             Contains("target \"t\" cannot be met: it means no cell but baselines"));
}

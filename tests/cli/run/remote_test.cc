// Black box: studies of commands whose devices are elsewhere (where: remote).
#include <filesystem>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_row;
using scalestudy::test::report_of;
using scalestudy::test::Workspace;

namespace {

// 64 devices are more than any machine that runs these tests has.
std::string cluster_study(const std::string& where) {
  return "version: 1\nstudy: demo\nworkload: command\n" + where +
         "command: [sh, -c, 'for i in 1 2 3 4 5 6; do echo step $i: $((80 / {devices} + "
         "$SCALESTUDY_BLOCK % 3)).5 ms; done']\n"
         "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+: (\\S+) ms'}]\n"
         "axes: {devices: [1, 4096]}\nparameters: {batch_global: 4096}\nsteps: {warmup: 0, "
         "measured: rest}\ntrials: {count: 6}\n"
         "analysis: {baseline: {devices: 1}}\n";
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

const std::string kVerdict = "SELECT DISTINCT verdict FROM speedups WHERE devices = 4096";

}  // namespace

TEST_CASE("devices elsewhere get a verdict, and the report says once that they are declared",
          "[cli]") {
  const Workspace workspace(cluster_study("where: remote\n"));

  const ProgramResult run = workspace.run({"run", workspace.study()});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, !Contains("cores"));
  const std::string report = report_of(workspace);
  CHECK(query_row(workspace, kVerdict) == "faster\n");
  CHECK_THAT(report, !Contains("oversubscribed") && !Contains("no performance claim"));
  CHECK_THAT(report, !Contains("more than their trial took"));
  CHECK(times_in(report, "are declared, not checked") == 1);
  CHECK_THAT(report,
             Contains("Machine: elsewhere; trials were started from ") &&
                 Contains("6 per cell, devices elsewhere, 1 session"));
}

TEST_CASE("a study that says later where its devices are keeps its trials", "[cli]") {
  const Workspace workspace(cluster_study(""));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  report_of(workspace);
  CHECK(query_row(workspace, kVerdict) == "no performance claim (oversubscribed)\n");

  scalestudy::test::write_file(workspace.study(), cluster_study("where: remote\n"));
  const ProgramResult again = workspace.run({"run", workspace.study(), "--accept-changes"});

  INFO(again.err);
  CHECK(again.exit_code == 0);
  report_of(workspace);
  CHECK(query_row(workspace, kVerdict) == "faster\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM trials") == "12\n");
}

TEST_CASE("a study of devices elsewhere takes no lock of this machine's", "[cli]") {
  const Workspace workspace(cluster_study("where: remote\n"));
  const std::string locks = workspace.file("locks");

  CHECK(workspace.run({"run", workspace.study(), "--no-wait"}, {"SCALESTUDY_LOCKS=" + locks})
            .exit_code == 0);

  CHECK_FALSE(std::filesystem::exists(locks));
}

TEST_CASE("a study of devices elsewhere is not submitted as jobs", "[cli]") {
  const Workspace workspace(cluster_study("where: remote\n"));

  const ProgramResult submitted = workspace.run({"submit", workspace.study(), "--dry-run"});

  CHECK(submitted.exit_code == 2);
  CHECK_THAT(submitted.err, Contains("demo: its command runs elsewhere (where: remote)"));
}

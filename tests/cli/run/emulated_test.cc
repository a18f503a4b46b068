// Studies of emulated ranks from the file to the report: known laws are found again, the projection
// gate opens and stays shut as it should, and no number of it passes for a measured one.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;
using test::query_row;
using test::Workspace;

namespace {

// Two thousand parameters, 9984 bytes of gradients with their padding. By a stepped clock
// (tests/workloads/stepped_clock.cc) trials take what is declared, and up to half a percent more.
std::string declared_study(const std::string& parameters, const std::string& analysis) {
  return "version: 1\n"
         "study: known\n"
         "title: Is what was declared found again?\n"
         "workload: train\n"
         "parameters: {compute: declared, model: lstm-332k, model.width: 8, model.sequence: 4, "
         "env.LD_PRELOAD: " SCALESTUDY_STEPPED_CLOCK ", env.STEPPED_SPREAD_PM: 5, " +
         parameters +
         "}\n"
         "axes: {devices: [1, 2, 4, 8]}\n"
         "steps: {warmup: 2, measured: 4}\n"
         "trials: {count: 3}\n"
         "validity: {calibration: none, foreign_load: 100%}\n"
         "limits: {timeout: 60s, silence: 60s, retries: 1}\n"
         "analysis:\n"
         "  baseline: {devices: 1}\n"
         "  projection: {to: [16]}\n" +
         analysis;
}

void measure(const Workspace& workspace) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", workspace.study()}, {"report", "known"}}) {
    const ProgramResult result = workspace.run(arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  }
}

}  // namespace

// 20 ms of a step are the same on any number of ranks, 64 ms are shared: Amdahl's law with a serial
// fraction of 20/84, which is also (N t(N)/t(1) - 1)/(N - 1) of any N. It is the curve of its rival
// in the gate, so that nothing is projected.
TEST_CASE("Amdahl's law is found again in emulated ranks, and refuses a projection", "[cli][mpi]") {
  const Workspace workspace(declared_study(
      "declared_sample_ms: 1, declared_step_ms: 20, batch_global: 64", "  laws: [amdahl]\n"));
  measure(workspace);

  CHECK(
      query_row(workspace,
                "SELECT status, abs(value - 20.0/84.0) < 0.003 FROM laws WHERE law = 'amdahl' AND "
                "parameter = 'serial_fraction'") == "ok,1\n");
  CHECK(query_row(workspace,
                  "SELECT count(*), max(abs(step_time_s/(0.020 + 0.064/devices) - 1)) < 0.005 FROM "
                  "results WHERE variant = 'all'") == "4,1\n");
  CHECK(query_row(workspace, "SELECT devices, status, provenance FROM projections") ==
        "16,refused,emulated\n");
  CHECK(query_row(workspace, "SELECT DISTINCT verdict FROM speedups WHERE devices > 1") ==
        "faster\n");
  CHECK(query_row(workspace, "SELECT max(oversubscribed) FROM trials") == "0\n");
  for (const std::string view : {"metrics", "comparisons", "laws"}) {
    CAPTURE(view);
    CHECK(query_row(workspace, "SELECT DISTINCT provenance FROM " + view) == "emulated\n");
  }

  const std::string report = test::read_pages(workspace.results() + "/reports/known/report.md");
  CHECK_THAT(report.substr(0, report.find('\n')), Contains("(emulated, not measured)"));
  CHECK_THAT(report,
             Contains("ranks sleep for declared times") &&
                 Contains("No number of this report was measured") &&
                 !Contains("no performance claim") && !Contains("was measured by the trials"));
}

// 20 ms on each rank and a ring whose links have 0.5 MB/s: 9984 bytes are 19.97 ms. Fitted to 1, 2
// and 4 ranks the model must say 20 + 2 x 7/8 x 19.97 = 54.9 ms of 8, and then 57.4 ms of 16.
TEST_CASE("the projection gate opens where emulated ranks follow a ring's law",
          "[cli][mpi][slow]") {
  const Workspace workspace(
      declared_study("declared_step_ms: 20, declared_gb_per_s: 0.0005, batch_per_device: 8", ""));
  measure(workspace);

  CHECK(query_row(workspace,
                  "SELECT DISTINCT value = 9984 FROM readings WHERE name = 'wire_bytes'") == "1\n");
  CHECK(query_row(
            workspace,
            "SELECT abs(step_time_s/0.0549 - 1) < 0.01 FROM results WHERE devices = 8 AND variant "
            "= 'all'") == "1\n");
  CHECK(
      query_row(
          workspace,
          "SELECT status, method, factor = 2, held_out_error < 0.01, held_out_error < rival_error, "
          "abs(step_time_s/0.0574 - 1) < 0.01, provenance FROM projections WHERE devices = 16") ==
      "ok,communication_fitted,1,1,1,1,emulated\n");
  CHECK_THAT(test::read_pages(workspace.results() + "/reports/known/report.md"),
             Contains("## Projection") && Contains("◇ 16"));
}

TEST_CASE("a study cannot vary what computes", "[cli]") {
  const Workspace workspace(declared_study("declared_step_ms: 20, batch_per_device: 8", ""));

  const ProgramResult result = workspace.run({"validate",
                                              workspace.study(),
                                              "--set",
                                              "parameters.compute=null",
                                              "--set",
                                              "axes.compute=[real, declared]"});

  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("compute cannot vary"));
}

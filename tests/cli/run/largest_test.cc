// Black box: the search for the largest batch, over a program of one's own that runs out of memory.
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"

using Catch::Contains;
using namespace scalestudy::test;

namespace {

// A step takes 20 ms and 0.3 ms for each sample. `condition` is a shell test on $b, the batch, and
// $RANDOM; where it holds the program runs out of memory.
std::string fitting_study(const std::string& condition, const std::string& more = "") {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [bash, -c, 'b={batch_per_device}; if [ " +
         condition +
         " ]; then echo \"CUDA out of memory\" >&2; exit 1; fi; for s in 1 2 3 4; do "
         "echo \"step $s: $((20000 + 300 * b + RANDOM % 400)) us\"; done']\n"
         "extract: [{metric: step_time_s, unit: us, regex: 'step \\d+: (\\d+) us'}]\n"
         "axes: {batch_per_device: [16]}\n"
         "search: {largest: batch_per_device, up_to: 4096, grid: 4}\n"
         "steps: {warmup: 1, measured: rest}\nvalidity: {calibration: none, foreign_load: 100%}\n"
         "trials: {count: 5}\n" +
         more;
}

// Batches with their share of trials that fit, by batch.
std::string shares(const Workspace& workspace) {
  return query_csv(workspace,
                   "SELECT batch_per_device, value, n FROM metrics WHERE metric = 'fit_share' "
                   "ORDER BY 1");
}

}  // namespace

TEST_CASE("a run finds the largest batch that fits, and the fastest", "[cli]") {
  const Workspace workspace(fitting_study("$b -gt 100"));
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  CHECK(run.exit_code == 0);

  CHECK_THAT(run.out,
             Contains("Largest that fits: batch 100 per device: 10 of 10 trials fit, so at least "
                      "74.11 % of launches do (95 % confidence for this batch alone); 104 did not "
                      "fit in 1 of 1 trial."));
  CHECK_THAT(run.out, Contains("Use (fastest that fits): batch 100 per device."));
  CHECK_THAT(run.err, Contains("adds batch_per_device=32: 16 fits"));
  CHECK_THAT(run.err, Contains("adds batch_per_device=96: 64 fits and 128 does not fit"));
  CHECK_THAT(run.err, !Contains("look first at"));
  CHECK_THAT(
      report_of(workspace),
      !Contains("No attempt of") && !Contains("did not end ok") && !Contains("fewer than 5 ok"));
  CHECK_THAT(report_of(workspace), !Contains("No verdict on"));
}

TEST_CASE("a run that was interrupted goes on with the same search", "[cli]") {
  const Workspace workspace(fitting_study("$b -gt 100"));
  for (int part = 0; part < 8; ++part) {
    workspace.run({"run", workspace.study(), "--max-trials", "7"});
  }
  const Workspace whole(fitting_study("$b -gt 100"));
  whole.run({"run", whole.study()});
  CHECK(shares(workspace) == shares(whole));
  CHECK_THAT(shares(whole), Contains("100,1,10"));
}

TEST_CASE("memory that varies near the edge lowers the answer", "[cli]") {
  // From 80 on two of five trials fail.
  const Workspace workspace(fitting_study("$b -ge 120 -o $b -ge 80 -a $((RANDOM % 5)) -lt 2"));
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.out << shares(workspace));
  CHECK(run.exit_code == 0);
  std::istringstream line(run.out.substr(run.out.find("Largest that fits: batch ") + 25));
  int batch = 0;
  line >> batch;
  CHECK(batch >= 76);  // always fits; a larger one only if it did ten times of ten
  CHECK(batch < 120);
  CHECK_THAT(run.out, Contains("of launches do"));
}

TEST_CASE("a program that fails for another reason is not called too large", "[cli]") {
  const std::string memory = "CUDA out of memory";
  std::string text = fitting_study("$b -gt 20", "limits: {retries: 0}\n");
  text.replace(text.find(memory), memory.size(), "illegal instruction");
  const Workspace workspace(text);
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.out << run.err);

  CHECK_THAT(run.out, Contains("24 failed in 1 of 1 trial, without a sign that memory ran out."));
  CHECK_THAT(report_of(workspace), Contains("No attempt of 2 cells ended ok"));
  CHECK(workspace.run({"prune", "demo", "--trials", "--yes"}).exit_code == 2);
}

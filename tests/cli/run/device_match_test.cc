// The control device_match as it runs: a slower core is found and named.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;
using test::Workspace;

namespace {

// By a stepped clock (tests/workloads/stepped_clock.cc) a step is what the straggler sleeps.
std::string study_with_slow(const std::string& cpu) {
  return "version: 1\n"
         "study: devices\n"
         "workload: train\n"
         "parameters: {model: mlp-258k, batch_global: 64, straggler_rank: 0, straggler_ms: 20, "
         "env.LD_PRELOAD: " SCALESTUDY_STEPPED_CLOCK
         ", env.STEPPED_SPREAD_PM: 5, env.STEPPED_SLOW_CPU: " +
         cpu +
         "}\n"
         "axes: {devices: [1, 2]}\n"
         "steps: {warmup: 2, measured: 5}\n"
         "trials: {count: 4}\n"
         "controls: [device_match]\n"
         "validity: {calibration: none, foreign_load: 100%}\n"
         "limits: {timeout: 60s, silence: 60s, retries: 0}\n"
         "analysis: {baseline: {devices: 1}}\n";
}

// The CPUs of device 1, "" where there is none.
std::string cpus_of_second_device() {
  const ProgramResult found =
      test::run_program({"mpirun",
                         "-n",
                         "1",
                         "--cpu-list",
                         "1",
                         "--bind-to",
                         "cpu-list",
                         "grep",
                         "Cpus_allowed_list",
                         "/proc/self/status"},
                        {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  const std::size_t at = found.out.find('\t');
  return found.exit_code != 0 || at == std::string::npos
             ? ""
             : found.out.substr(at + 1, found.out.find('\n') - at - 1);
}

}  // namespace

TEST_CASE("a device that is a quarter as fast is slower, and the report names it", "[cli][slow]") {
  test::skip_on_one_core();
  const std::string cpus = cpus_of_second_device();
  if (cpus.empty()) {
    test::skip("one core");
  }
  const Workspace workspace(study_with_slow(cpus.substr(0, cpus.find_first_of("-,"))));
  const ProgramResult plan = workspace.run({"plan", workspace.study()});
  CHECK_THAT(plan.out, Contains("device 1") && Contains("control device_match"));
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(workspace.run({"report", "devices"}).exit_code == 0);
  const std::string report = test::read_pages(workspace.results() + "/reports/devices/report.md");

  const ProgramResult row =
      workspace.run({"query",
                     "--format",
                     "csv",
                     "SELECT verdict, abs(value - 0.25) < 0.003 FROM comparisons WHERE quantity = "
                     "'device_match'"});
  CHECK_THAT(row.out, Contains("slower,1\n"));
  CHECK_THAT(report, Contains("## The devices, each alone"));
  CHECK_THAT(report, Contains("the throughput of the same cell is 0.2"));
  CHECK_THAT(report, Contains("the lowest is on device 1."));
  CHECK_THAT(test::read_file(workspace.results() + "/reports/devices/data/controls.csv"),
             Contains("device_match"));
}

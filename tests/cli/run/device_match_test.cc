// The control device_match as it runs: a core that others keep busy is found and named.
#include <csignal>

#include <sys/wait.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;
using test::Workspace;

namespace {

constexpr const char* kStudy =
    "version: 1\n"
    "study: devices\n"
    "workload: train\n"
    "parameters: {model: mlp-258k, batch_global: 64}\n"
    "axes: {devices: [1, 2]}\n"
    "steps: {warmup: 2, measured: 30, measured_time: 300ms}\n"
    "trials: {count: 5}\n"
    "controls: [device_match]\n"
    "validity: {calibration: none}\n"
    "limits: {timeout: 60s, silence: 60s, retries: 0}\n"
    "analysis: {baseline: {devices: 1}}\n";

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

// Programs that do nothing but keep these CPUs busy, while it lives.
class Burners {
 public:
  Burners(const std::string& cpus, int count) {
    for (int i = 0; i < count; ++i) {
      ids_.push_back(test::start_program({"taskset", "-c", cpus, "sh", "-c", "while :; do :; done"},
                                         {},
                                         "/dev/null",
                                         "/dev/null",
                                         "/dev/null"));
    }
  }
  ~Burners() {
    for (const pid_t id : ids_) {
      kill(id, SIGKILL);
      waitpid(id, nullptr, 0);
    }
  }
  Burners(const Burners&) = delete;
  Burners& operator=(const Burners&) = delete;

 private:
  std::vector<pid_t> ids_;
};

}  // namespace

TEST_CASE("a device that others keep busy is slower, and the report names it",
          "[cli][timed][slow]") {
  const std::string cpus = cpus_of_second_device();
  if (cpus.empty()) {
    test::skip("one core");
  }
  const Workspace workspace(kStudy);
  const ProgramResult plan = workspace.run({"plan", workspace.study()});
  CHECK_THAT(plan.out, Contains("on_device=1 control=device_match"));
  {
    const Burners burners(cpus, 8);
    const ProgramResult run = workspace.run({"run", workspace.study()});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
  }
  REQUIRE(workspace.run({"report", "devices"}).exit_code == 0);
  const std::string report = test::read_file(workspace.results() + "/reports/devices/report.md");

  // The core gives a ninth of its time; what else runs here takes from both.
  const ProgramResult row = workspace.run(
      {"query",
       "--format",
       "csv",
       "SELECT verdict, value < 0.7 FROM comparisons WHERE quantity = 'device_match'"});
  CHECK_THAT(row.out, Contains("slower,1\n"));
  CHECK_THAT(report, Contains("## The devices, each alone"));
  CHECK_THAT(report, Contains("the same cell has on device 1 0."));
  CHECK_THAT(report, Contains("the least on device 1."));
  CHECK_THAT(test::read_file(workspace.results() + "/reports/devices/data/controls.csv"),
             Contains("device_match"));
}

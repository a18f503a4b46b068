// Black box: on a machine that others keep busy, run says so before its first trial, the report
// first.
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;

namespace {

// A process for every CPU that does nothing but compute.
class BusyProcesses {
 public:
  BusyProcesses() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      ids_.push_back(fork());
      if (ids_.back() == 0) {
        execl("/bin/sh", "sh", "-c", "while :; do :; done", nullptr);
        _exit(127);
      }
    }
  }
  ~BusyProcesses() {
    for (const pid_t id : ids_) {
      kill(id, SIGKILL);
      waitpid(id, nullptr, 0);
    }
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  std::vector<pid_t> ids_;
};

}  // namespace

TEST_CASE("a busy machine is told before the first trial, and first in the report", "[cli]") {
  const std::string study =
      "version: 1\nstudy: demo\nworkload: command\naxes: {level: [1, 2]}\n"
      "command: [sh, -c, 'sleep 0.4; echo {level}']\n"
      "extract: [{metric: step_time_s, from: wall_time}]\n"
      "validity: {calibration: none}\ntrials: {count: 2}\nanalysis: {baseline: {level: 1}}\n";
  const Workspace workspace(study);
  const BusyProcesses busy;

  const ProgramResult run = workspace.run({"run", workspace.study()});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  const std::size_t told = run.err.find("this machine is busy now: other processes take ");
  REQUIRE(told != std::string::npos);
  CHECK(told < run.err.find("[1/4] "));
  CHECK_THAT(run.err.substr(told, run.err.find('\n', told) - told), Contains("(most: "));
  CHECK_THAT(run.err, Contains("] ok, foreign load level "));

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string report =
      scalestudy::test::read_pages(workspace.results() + "/reports/demo/report.md");
  const std::size_t first = report.find("\n\n") + 2;  // behind the title
  CHECK(report.substr(first, 38) == "**These numbers are not worth much:** ");
  CHECK_THAT(report, Contains("How far to trust this: low"));

  // A study may declare that it does not matter.
  REQUIRE(workspace
              .run({"run",
                    workspace.study(),
                    "--set",
                    "study=allowed",
                    "--set",
                    "validity={calibration: none, foreign_load: 100%}"})
              .exit_code == 0);
  REQUIRE(workspace.run({"report", "allowed"}).exit_code == 0);
  const std::string allowed =
      scalestudy::test::read_pages(workspace.results() + "/reports/allowed/report.md");
  CHECK_THAT(allowed, !Contains("not worth much"));
}

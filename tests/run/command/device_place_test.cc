// Where a rank of the control device_match runs: as commands, and as Open MPI really places it.
#include "harness/run/command/device_place.h"

#include <cstdlib>
#include <filesystem>

#include "harness/host/system_machine.h"
#include "harness/study/parameters/parameter_rules.h"
#include "tests/run/launched_cells.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

Cell cell_on_device(std::int64_t device, Parameters parameters = {}) {
  parameters[kOnDevice] = device;
  return cell_on(1, std::move(parameters));
}

LaunchCommand placed(const Cell& cell, const LaunchResources& resources) {
  return launch_command(train_study(), cell, resources);
}

LaunchResources cores(std::int64_t count, std::int64_t gpus = 0) {
  LaunchResources resources = kTwoCores;
  resources.cores = count;
  resources.gpus = gpus;
  return resources;
}

class VisibleDevices {
 public:
  explicit VisibleDevices(const char* value) { setenv(kName, value, 1); }
  ~VisibleDevices() { unsetenv(kName); }
  VisibleDevices(const VisibleDevices&) = delete;
  VisibleDevices& operator=(const VisibleDevices&) = delete;

  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
};

}  // namespace

TEST_CASE("device i has the cores of rank i, and its workload does not know it", "[run]") {
  const Cell third = cell_on_device(2, {{"threads", std::int64_t{2}}});
  const LaunchCommand command = placed(third, cores(6));

  CHECK(command.argv ==
        Words{"mpirun", "-n", "1", "--cpu-list", "4,5", "--bind-to", "cpu-list", "/opt/train"});
  CHECK(command.cores_per_rank == 2);
  CHECK(command.unsupported.empty());
  CHECK_FALSE(trial_parameters(train_study(), third).contains(kOnDevice));
  CHECK_FALSE(command.environment.contains(VisibleDevices::kName));
}

TEST_CASE("a device without cores of its own is unsupported", "[run]") {
  CHECK(placed(cell_on_device(1), cores(2)).unsupported.empty());
  CHECK_THAT(placed(cell_on_device(2), cores(2)).unsupported,
             Contains("device 2 has no cores of its own: this machine has 2"));
  CHECK_THAT(placed(cell_on_device(1, {{"threads", std::int64_t{3}}}), cores(2)).unsupported,
             Contains("no cores of its own"));
}

TEST_CASE("on a hostfile's nodes no device is chosen", "[run]") {
  LaunchResources resources = cores(4);
  resources.nodes.hosts = {"n0"};
  resources.nodes.hostfile = "hosts";

  CHECK_THAT(placed(cell_on_device(1), resources).unsupported, Contains("without a hostfile"));
  CHECK(placed(cell_on(1), resources).unsupported.empty());
}

TEST_CASE("a rank on a GPU sees the one that this rank of several takes", "[run]") {
  const Parameters cuda = {{"backend", std::string("cuda")}};
  unsetenv(VisibleDevices::kName);
  const LaunchCommand command = placed(cell_on_device(3, cuda), cores(16, 4));
  CHECK(command.environment.at(VisibleDevices::kName) == "3");
  CHECK(command.argv.at(4) == "12,13,14,15");  // that GPU's share of the cores
  CHECK_FALSE(placed(cell_on(1, cuda), cores(16, 4)).environment.contains(VisibleDevices::kName));

  const VisibleDevices some("5,GPU-6f1c,2");
  CHECK(placed(cell_on_device(1, cuda), cores(16, 3)).environment.at(VisibleDevices::kName) ==
        "GPU-6f1c");
  CHECK(placed(cell_on_device(2, cuda), cores(16, 3)).environment.at(VisibleDevices::kName) == "2");
  CHECK_THAT(placed(cell_on_device(3, cuda), cores(16, 3)).unsupported,
             Contains("device 3 is no GPU: this machine has 3"));
  // What the study itself sets comes first.
  Parameters own = cuda;
  own["env.CUDA_VISIBLE_DEVICES"] = std::string("7,6");
  CHECK(placed(cell_on_device(1, own), cores(16, 2)).environment.at(VisibleDevices::kName) == "6");
}

TEST_CASE("Open MPI places device i on the cores of rank i", "[run]") {
  SystemMachine machine;
  if (machine.cores() < 2) {
    skip("one core");
  }
  const TemporaryFolder folder;
  LaunchResources resources = cores(machine.cores());
  resources.is_root = true;
  resources.program = folder.file("cpus.sh");
  write_file(resources.program,
             "#!/bin/sh\n"
             "[ \"${OMPI_COMM_WORLD_RANK}\" != \"$ONLY\" ] || grep Cpus_allowed_list "
             "/proc/self/status\n");
  std::filesystem::permissions(resources.program, std::filesystem::perms::owner_all);
  const auto cpus = [&](const Cell& cell, const std::string& rank) {
    const LaunchCommand command = placed(cell, resources);
    std::vector<std::string> environment = {"ONLY=" + rank};
    for (const auto& [name, value] : command.environment) {
      environment.push_back(name + "=" + value);
    }
    const ProgramResult result = run_program(command.argv, environment);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  };

  const std::string first = cpus(cell_on(2), "0");
  const std::string second = cpus(cell_on(2), "1");
  CHECK_THAT(second, Contains("Cpus_allowed_list:"));
  CHECK(second != first);
  CHECK(cpus(cell_on_device(1), "0") == second);
  CHECK(cpus(cell_on(1), "0") == first);
}

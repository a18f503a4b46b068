#include "harness/study/parameters/machine_profile.h"

#include <cstdlib>

#include "harness/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

constexpr const char* kMachines = R"(default: small
machines:
  small: {}
  cluster:
    launcher: srun
    cores_per_node: 64
    gpus_per_node: 8
    account: abc
    partition: gpu
    constraint: h100&ib
    time_limit: 12h
    sbatch: [--exclusive, --mem=0]
    setup: [module load openmpi]
)";

std::string refusal(const std::string& wanted) {
  try {
    find_machine(wanted);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "found";
}

}  // namespace

TEST_CASE("a machine's profile is read from machines.yaml", "[study]") {
  const ParsedMachines parsed = parse_machines(kMachines);

  CHECK(parsed.problems.empty());
  CHECK(parsed.default_name == "small");
  REQUIRE(parsed.machines.size() == 2);
  const MachineProfile& machine = parsed.machines[1];
  CHECK(machine.name == "cluster");
  CHECK(machine.launcher == RankLauncher::kSrun);
  CHECK(machine.cores_per_node == 64);
  CHECK(machine.gpus_per_node == 8);
  CHECK(machine.account == "abc");
  CHECK(machine.partition == "gpu");
  CHECK(machine.constraint == "h100&ib");
  CHECK(machine.time_limit_s == 12 * 3600.0);
  CHECK(machine.sbatch == std::vector<std::string>{"--exclusive", "--mem=0"});
  CHECK(machine.setup == std::vector<std::string>{"module load openmpi"});
}

TEST_CASE("everything wrong with machines.yaml is told at once, with its place", "[study]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("m.yaml");
  test::write_file(path,
                   "default: none\nmachines:\n  a:\n    luncher: srun\n    partition: two words\n"
                   "    cores_per_node: 0\n    setup: [\"a\\nb\"]\n  b:\n    launcher: srun\n"
                   "    hostfile: hosts\n    time_limit: 3\n");

  const std::string told = refusal(path);

  CHECK_THAT(told, Contains(path + ":4:5: "));
  CHECK_THAT(told, Contains("did you mean \"launcher\""));
  CHECK_THAT(told, Contains(path + ":5:16: machines.a.partition must be one word"));
  CHECK_THAT(told, Contains(path + ":6:21: "));
  CHECK_THAT(told, Contains(path + ":7:13: an item of machines.a.setup must be one line"));
  CHECK_THAT(told, Contains("launcher: srun knows the nodes of its Slurm job"));
  CHECK_THAT(told, Contains(path + ":11:17: "));
  CHECK_THAT(told, Contains(path + ":1:10: machines has no none"));
}

TEST_CASE("a control character would end a line of a job's script, and is refused", "[study]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("m.yaml");
  test::write_file(path,
                   "machines:\n  a:\n    account: \"a\\rb\"\n    sbatch: [\"--mem=0\\r\"]\n"
                   "    setup: [\"a\\eb\"]\n");

  const std::string told = refusal(path);

  CHECK_THAT(told, Contains(path + ":3:14: machines.a.account must be one word"));
  CHECK_THAT(told, Contains(path + ":4:14: an item of machines.a.sbatch must be one line"));
  CHECK_THAT(told, Contains(path + ":5:13: an item of machines.a.setup must be one line"));
}

TEST_CASE("a machine is found by name, by file or as the default", "[study]") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "scalestudy");
  setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  CHECK(find_machine("").name.empty());
  CHECK_THAT(refusal("cluster"), Contains("cannot be read"));

  test::write_file(folder.path() / "scalestudy/machines.yaml", kMachines);

  CHECK(find_machine("").name == "small");
  CHECK(find_machine("cluster").account == "abc");
  CHECK_THAT(refusal("other"), Contains("has small, cluster"));
  const std::string path = folder.file("one.yaml");
  test::write_file(path, "machines: {only: {partition: p}}\n");
  CHECK(find_machine(path).partition == "p");
  test::write_file(path, "machines: {a: {}, b: {}}\n");
  CHECK_THAT(refusal(path), Contains("has a, b; say which is meant by `default:`"));
}

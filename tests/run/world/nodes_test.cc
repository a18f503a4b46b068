#include "harness/run/world/nodes.h"

#include "harness/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using Words = std::vector<std::string>;

TEST_CASE("Slurm's list of nodes is read as Slurm means it", "[run]") {
  // As `scontrol show hostnames` of Slurm 22.05.8 prints them.
  CHECK(expand_node_list("n[0-1]") == Words{"n0", "n1"});
  CHECK(expand_node_list("n[0-1,03,009-011],gpu7") ==
        Words{"n0", "n1", "n03", "n009", "n010", "n011", "gpu7"});
  CHECK(expand_node_list("r[1-2]n[0-1]-ib") == Words{"r1n0-ib", "r1n1-ib", "r2n0-ib", "r2n1-ib"});
  CHECK(expand_node_list("vm") == Words{"vm"});
}

TEST_CASE("what is no list of nodes is none, and no memory is filled", "[run]") {
  for (const char* text : {"",
                           "n[",
                           "n]",
                           "n[]",
                           "n[a]",
                           "n[1-",
                           "n[0-]",
                           "a,,b",
                           "n[1-2",
                           "n[3-1]",
                           "n[0-999999999]",
                           "n[0-9999]m[0-9999]",
                           "n[99999999999999999999]"}) {
    CAPTURE(text);
    CHECK_FALSE(expand_node_list(text));
  }
  std::string brackets;
  for (int i = 0; i < 40'000; ++i) {
    brackets += "[1]";
  }
  CHECK_FALSE(expand_node_list(brackets));
  const std::string name(100'000, 'n');
  CHECK_FALSE(expand_node_list("r[1-2]" + name + "[0-9999]"));
  CHECK_FALSE(expand_node_list(name + "[0-9999]"));
}

TEST_CASE("a hostfile names each node once, whatever else it says", "[run]") {
  CHECK(read_hostfile("# mine\nn1 slots=4 # fast\n\n  n0\nn1 slots=2\n") == Words{"n1", "n0"});
}

TEST_CASE("nodes are those of the Slurm job, else of the hostfile, else this machine", "[run]") {
  const test::TemporaryFolder folder;
  MachineProfile machine;
  CHECK(find_nodes(machine, {}, "here").hosts.empty());

  test::write_file(folder.file("hosts"), "localhost slots=2\nn1\n");
  machine.hostfile = folder.file("hosts");
  const Nodes by_file = find_nodes(machine, {}, "here");
  CHECK(by_file.hosts == Words{"localhost", "n1"});
  CHECK(by_file.master_addr == "localhost");
  CHECK(by_file.hostfile == machine.hostfile);

  const Nodes job = find_nodes(machine, {{"SLURM_JOB_NODELIST", "no.such.host[0-1]"}}, "here");
  CHECK(job.hosts == Words{"no.such.host0", "no.such.host1"});
  CHECK(job.is_slurm_job);
  CHECK(job.hostfile.empty());
  CHECK(job.master_addr == "here");  // a node's name in Slurm need not be one of the network

  machine.hostfile = folder.file("missing");
  CHECK_THROWS_AS(find_nodes(machine, {}, "here"), Error);
  machine.hostfile.clear();
  CHECK_THROWS_AS(find_nodes(machine, {{"SLURM_JOB_NODELIST", "n["}}, "here"), Error);
  machine.launcher = RankLauncher::kSrun;
  CHECK_THROWS_AS(find_nodes(machine, {}, "here"), Error);
}

// Commands of cells on several nodes.
#include <algorithm>

#include "harness/base/error.h"
#include "harness/run/command/launch_command.h"
#include "tests/run/launched_cells.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("a cell on several machines is unsupported with the reason", "[run]") {
  Cell cell = cell_on(2);
  cell.nodes = 2;

  CHECK(launch_command(train_study(), cell, kTwoCores).unsupported.find("nodes is 2") == 0);
  CHECK(launch_command(train_study(), cell_on(2), kTwoCores).unsupported.empty());
}

TEST_CASE("ranks on several nodes are as many on each, bound by its own cores", "[run]") {
  Cell cell = cell_on(4);
  cell.nodes = 2;
  LaunchResources resources = kTwoCores;
  resources.nodes.hosts = {"n0", "n1", "n2"};
  resources.nodes.is_slurm_job = true;
  resources.has_several_nodes = true;

  const LaunchCommand two = launch_command(train_study(), cell, resources);

  CHECK(two.unsupported.empty());
  CHECK_FALSE(two.oversubscribed);
  CHECK(two.hosts == Words{"n0", "n1"});
  CHECK(two.is_elsewhere);
  CHECK(two.cores_per_rank == 1);
  CHECK(Words(two.argv.begin(), two.argv.begin() + 9) == Words{"mpirun",
                                                               "-n",
                                                               "4",
                                                               "--host",
                                                               "n0:2,n1:2",
                                                               "--bind-to",
                                                               "core",
                                                               "--map-by",
                                                               "ppr:2:node:PE=1"});
  const auto exported = [&](const std::string& name) {
    const auto found = std::ranges::find(two.argv, name);
    return found != two.argv.end() && *(found - 1) == "-x";
  };
  CHECK(exported("SCALESTUDY_PARAMETERS"));
  CHECK(exported("OMP_NUM_THREADS"));
  CHECK_FALSE(exported("OMPI_ALLOW_RUN_AS_ROOT"));
  CHECK(two.argv.back() == "/opt/train");
  // Shared memory alone would not reach the other node; and all cells have the same networks.
  CHECK_FALSE(two.environment.contains("OMPI_MCA_btl"));

  const LaunchCommand one = launch_command(train_study(), cell_on(2), resources);
  CHECK_FALSE(one.environment.contains("OMPI_MCA_btl"));
  CHECK(one.hosts == Words{"n0"});
  CHECK_FALSE(one.is_elsewhere);
  CHECK(one.argv == Words{"mpirun",
                          "-n",
                          "2",
                          "--host",
                          "n0:2",
                          "--bind-to",
                          "core",
                          "--map-by",
                          "ppr:2:node:PE=1",
                          "/opt/train"});

  const LaunchCommand many = launch_command(train_study(), cell_on(4), resources);
  CHECK(many.oversubscribed);
  CHECK(std::ranges::find(many.argv, "ppr:4:node") != many.argv.end());

  cell.nodes = 4;
  CHECK(launch_command(train_study(), cell, resources).unsupported ==
        "nodes is 4, and this run has 3: run it in a Slurm job of 4 (`scalestudy submit` makes "
        "one), or with --machine NAME and its hostfile");
}

TEST_CASE("a GPU's share of the cores, and a core to communicate, are those of its node", "[run]") {
  Cell cell = cell_on(8, {{"backend", "cuda"}});
  cell.nodes = 2;
  LaunchResources resources{
      .cores = 16, .gpus = 4, .communication_cores = 0, .is_root = false, .program = "/opt/train"};
  resources.nodes.hosts = {"n0", "n1"};

  const LaunchCommand command = launch_command(train_study(), cell, resources);

  CHECK(command.cores_per_rank == 4);
  CHECK_FALSE(command.oversubscribed);
  Cell overlapping = cell_on(4, {{"overlap", "thread"}});
  overlapping.nodes = 2;
  CHECK(communication_cores({overlapping}, 4) == 1);
  CHECK(communication_cores({overlapping}, 3) == 0);
}

TEST_CASE("where nodes are reached by ssh, mpirun is told its hostfile", "[run]") {
  LaunchResources resources = kTwoCores;
  resources.nodes.hosts = {"n0"};
  resources.nodes.hostfile = "my hosts";

  const LaunchCommand command = launch_command(train_study(), cell_on(2), resources);

  CHECK(Words(command.argv.begin() + 3, command.argv.begin() + 7) ==
        Words{"--hostfile", "my hosts", "--host", "n0:2"});
  CHECK(command.is_elsewhere);
}

TEST_CASE("srun gets nodes, ranks on each and their cores", "[run]") {
  Cell cell = cell_on(4, {{"threads", std::int64_t{2}}});
  cell.nodes = 2;
  LaunchResources resources = kTwoCores;
  resources.cores = 4;
  resources.nodes = {.hosts = {"n0", "n1"}, .launcher = RankLauncher::kSrun, .is_slurm_job = true};

  CHECK(launch_command(train_study(), cell, resources).argv == Words{"srun",
                                                                     "--overlap",
                                                                     "--mpi=pmix",
                                                                     "--nodes=2",
                                                                     "--nodelist=n0,n1",
                                                                     "--kill-on-bad-exit=1",
                                                                     "--ntasks=4",
                                                                     "--ntasks-per-node=2",
                                                                     "--distribution=block:block",
                                                                     "--cpus-per-task=2",
                                                                     "--cpu-bind=cores",
                                                                     "/opt/train"});
}

TEST_CASE("a command that names its node's rank is started once on each", "[run]") {
  Study study;
  study.workload = Workload::kCommand;
  study.command = {"run", "--rank={node_rank}of{nodes}", "a 'b'", "{master_addr}:{master_port}"};
  study.environment = {{"RANK", "{node_rank}"}, {"PLAIN", "x"}};
  study.setup = {"make", "{node_rank}"};
  Cell cell = cell_on(2);
  cell.nodes = 2;
  cell.varied["env.SIZE"] = "default";
  LaunchResources resources = kTwoCores;
  resources.nodes = {.hosts = {"n0", "n1"}, .is_slurm_job = true, .master_addr = "first"};

  const LaunchCommand slurm = launch_command(study, cell, resources);

  CHECK(Words(slurm.argv.begin(), slurm.argv.end() - 1) == Words{"srun",
                                                                 "--overlap",
                                                                 "--mpi=none",
                                                                 "--nodes=2",
                                                                 "--nodelist=n0,n1",
                                                                 "--kill-on-bad-exit=1",
                                                                 "--ntasks=2",
                                                                 "--ntasks-per-node=1",
                                                                 "--cpu-bind=none",
                                                                 "sh",
                                                                 "-c"});
  CHECK(slurm.argv.back() ==
        "node_rank=$SLURM_PROCID; [ \"$node_rank\" = 0 ] || exec "
        ">\"${SCALESTUDY_OUTPUT%/*}/stdout.node$node_rank\"; unset SIZE; export "
        "RANK=\"$node_rank\"; exec "
        "run --rank=\"$node_rank\"of2 'a '\\''b'\\''' 'first:{master_port}'");
  CHECK(slurm.setup == Words{"make", "0"});
  CHECK(slurm.hosts == Words{"n0", "n1"});
  CHECK(slurm.is_elsewhere);

  resources.nodes.is_slurm_job = false;
  resources.nodes.hostfile = "hosts";
  const LaunchCommand ssh = launch_command(study, cell, resources);
  CHECK(Words(ssh.argv.begin(), ssh.argv.begin() + 11) == Words{"mpirun",
                                                                "-n",
                                                                "2",
                                                                "--hostfile",
                                                                "hosts",
                                                                "--host",
                                                                "n0:1,n1:1",
                                                                "--map-by",
                                                                "ppr:1:node",
                                                                "--bind-to",
                                                                "none"});

  resources.nodes = {};
  CHECK(launch_command(study, cell, resources).unsupported.find("nodes is 2") == 0);
}

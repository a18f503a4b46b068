#include "harness/run/command/launch_command.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/study/parse.h"
#include "tests/run/launched_cells.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("floors in time are parameters of a trial where there are some", "[run]") {
  Study study = train_study();
  CHECK_FALSE(trial_parameters(study, cell_on(1)).contains("warmup_time_s"));

  study.steps.warmup_time_s = 0.5;

  CHECK(trial_parameters(study, cell_on(1)).at("warmup_time_s") == Value(0.5));
  CHECK(trial_parameters(study, cell_on(1)).at("measured_time_s") == Value(0.0));
}

TEST_CASE("epochs reach trials that measure what they leave, and no run of one step", "[run]") {
  Study study = train_study();
  const Cell cell = cell_on(1, {{"epochs", std::int64_t{3}}});
  study.steps = {.warmup = 0, .measured = 1};
  CHECK_FALSE(trial_parameters(study, cell).contains("epochs"));

  study.steps.is_open = true;

  CHECK(trial_parameters(study, cell).at("epochs") == Value(std::int64_t{3}));
  CHECK_FALSE(trial_parameters(study, cell).contains("measured_steps"));
}

TEST_CASE("an axis of the study's own reaches setup and cleanup, and no rank", "[run]") {
  Study study = train_study();
  study.setup = {"set", "{power_cap}", "{devices}", "{node_rank}"};
  study.cleanup = {"reset", "{power_cap}"};
  const Cell cell = cell_on(2, {{"power_cap", std::int64_t{200}}});

  const LaunchCommand command = launch_command(study, cell, kTwoCores);

  CHECK(command.setup == Words{"set", "200", "2", "0"});
  CHECK(command.cleanup == Words{"reset", "200"});
  CHECK_FALSE(trial_parameters(study, cell).contains("power_cap"));
  CHECK(trial_parameters(study, cell).contains("measured_steps"));
}

TEST_CASE("ranks are bound to as many cores as they have threads", "[run]") {
  const auto one =
      launch_command(train_study(), cell_on(1, {{"threads", std::int64_t{2}}}), kTwoCores);
  CHECK(one.argv ==
        Words{"mpirun", "-n", "1", "--bind-to", "core", "--map-by", "slot:PE=2", "/opt/train"});
  CHECK(one.environment.at("OMP_NUM_THREADS") == "2");
  CHECK(one.environment.at("OMP_PROC_BIND") == "close");
  CHECK(one.environment.at("OMP_PLACES") == "cores");
  CHECK_FALSE(one.oversubscribed);

  const auto two = launch_command(train_study(), cell_on(2), kTwoCores);
  CHECK(two.argv ==
        Words{"mpirun", "-n", "2", "--bind-to", "core", "--map-by", "slot:PE=1", "/opt/train"});
  CHECK(two.environment.at("OMP_NUM_THREADS") == "1");
}

TEST_CASE("a rank on a GPU gets that GPU's share of the cores", "[run]") {
  const LaunchResources resources{
      .cores = 16, .gpus = 4, .communication_cores = 0, .is_root = false, .program = "/opt/train"};
  const Parameters cuda = {{"backend", "cuda"}};
  const auto share = [&](const Cell& cell) {
    return launch_command(train_study(), cell, resources).argv.at(6);
  };

  CHECK(share(cell_on(1, cuda)) == "slot:PE=4");
  CHECK(share(cell_on(2, cuda)) == "slot:PE=4");
  CHECK(share(cell_on(8, cuda)) == "slot:PE=2");
  CHECK(share(cell_on(1, {{"backend", "cuda"}, {"threads", std::int64_t{6}}})) == "slot:PE=6");
  CHECK(share(cell_on(2)) == "slot:PE=1");
}

TEST_CASE("every cell gets a core for a thread beside those that compute, or none does", "[run]") {
  const Parameters overlapping = {{"overlap", "thread"}};
  const std::vector<Cell> cells = {cell_on(1), cell_on(2), cell_on(2, overlapping)};
  const Study study = train_study();

  CHECK(communication_cores(cells, 4) == 1);
  CHECK(communication_cores(cells, 3) == 0);  // two ranks need four
  // Four ranks have no cores enough either way.
  CHECK(communication_cores({cell_on(1, overlapping), cell_on(4)}, 2) == 1);
  CHECK(communication_cores({cell_on(2)}, 4) == 0);  // no cell has such a thread

  // So does a thread that reads ahead.
  const Parameters ahead = {{"data", "file"}, {"data_prefetch", std::int64_t{2}}};
  CHECK(communication_cores({cell_on(1), cell_on(1, ahead)}, 2) == 1);
  CHECK(communication_cores({cell_on(2), cell_on(1, ahead)}, 2) == 0);
  CHECK(communication_cores({cell_on(1, {{"data", "file"}})}, 2) == 0);
  CHECK(communication_cores({cell_on(1, {{"data_prefetch", std::int64_t{2}}})}, 2) == 0);

  // A cell with both wants a core for each, and has one where there is room for no more.
  const Parameters both = {
      {"overlap", "thread"}, {"data", "file"}, {"data_prefetch", std::int64_t{2}}};
  CHECK(communication_cores({cell_on(2), cell_on(2, both)}, 6) == 2);
  CHECK(communication_cores({cell_on(2), cell_on(2, both)}, 5) == 1);
  CHECK(communication_cores({cell_on(2), cell_on(2, both)}, 3) == 0);
  CHECK(communication_cores({cell_on(2, overlapping), cell_on(2, ahead)}, 6) == 1);

  LaunchResources resources = kTwoCores;
  resources.cores = 4;
  resources.communication_cores = 1;
  for (const Cell& cell : cells) {
    CHECK(launch_command(study, cell, resources).argv.at(6) == "slot:PE=2");
  }
}

TEST_CASE("a triad beside a collective has a core of its own, or the cell is oversubscribed",
          "[run]") {
  Study study = train_study();
  study.workload = Workload::kCollective;
  Cell cell = cell_on(2);
  cell.parameters["beside"] = std::string("triad");
  cell.effective = effective_parameters(Workload::kCollective, cell.parameters);
  LaunchResources four = kTwoCores;
  four.cores = 4;

  CHECK(launch_command(study, cell, four).argv.at(6) == "slot:PE=2");
  CHECK_FALSE(launch_command(study, cell, four).oversubscribed);
  CHECK(launch_command(study, cell, kTwoCores).oversubscribed);
}

TEST_CASE("what saves or fails is launched by its own supervisor", "[run]") {
  const Words ranks = {
      "mpirun", "-n", "1", "--bind-to", "core", "--map-by", "slot:PE=1", "/opt/train"};
  const auto argv = [](const Parameters& parameters) {
    return launch_command(train_study(), cell_on(1, parameters), kTwoCores).argv;
  };
  const auto supervised = [&](const std::string& folder) {
    Words words = {"/opt/train", "--supervise", folder};
    words.insert(words.end(), ranks.begin(), ranks.end());
    return words;
  };

  CHECK(argv({{"save_every", std::int64_t{0}}, {"failure", std::string("none")}}) == ranks);
  CHECK(argv({{"save_dir", std::string("/tmp")}}) == ranks);
  CHECK(argv({{"save_every", std::int64_t{5}}}) == supervised(""));
  CHECK(argv({{"save_every", std::int64_t{5}}, {"save_dir", std::string("/dev/shm")}}) ==
        supervised("/dev/shm"));
  CHECK(argv({{"failure", std::string("kill_rank")}}) == supervised(""));
}

TEST_CASE("an optimizer is offloaded from GPUs alone", "[run]") {
  const auto reason = [](const std::string& backend) {
    const Parameters parameters = {{"offload", std::string("optimizer")}, {"backend", backend}};
    return launch_command(train_study(), cell_on(1, parameters), kTwoCores).unsupported;
  };

  CHECK(reason("cuda").empty());
  CHECK(reason("cpu") ==
        "offload optimizer takes its state out of a GPU's memory, and that of backend cpu is the "
        "host's; use backend cuda");
}

TEST_CASE("what saves or fails is launched where the harness is, or not at all", "[run]") {
  const auto reason = [](const LaunchResources& resources, const Parameters& parameters) {
    return launch_command(train_study(), cell_on(2, parameters), resources).unsupported;
  };
  const Parameters saves = {{"save_every", std::int64_t{5}}};
  LaunchResources by_ssh = kTwoCores;
  by_ssh.nodes.hosts = {"n0"};
  by_ssh.nodes.hostfile = "hosts";
  LaunchResources by_srun = kTwoCores;
  by_srun.nodes = {.hosts = {"n0"}, .launcher = RankLauncher::kSrun, .is_slurm_job = true};
  LaunchResources batch_host = kTwoCores;
  batch_host.nodes = {.hosts = {"n0"}, .is_slurm_job = true};

  CHECK(reason(by_ssh, {}).empty());
  CHECK(reason(by_ssh, saves).find("without a hostfile") != std::string::npos);
  CHECK(reason(by_ssh, {{"failure", std::string("kill_rank")}}) == reason(by_ssh, saves));
  CHECK(reason(by_srun, saves) == reason(by_ssh, saves));
  CHECK(reason(kTwoCores, saves).empty());
  CHECK(reason(batch_host, saves).empty());
}

TEST_CASE("more ranks x threads than cores are unbound, yielding and marked", "[run]") {
  const auto command =
      launch_command(train_study(), cell_on(2, {{"threads", std::int64_t{2}}}), kTwoCores);

  CHECK(command.oversubscribed);
  CHECK(command.argv ==
        Words{"mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none", "/opt/train"});
  CHECK(command.environment.at("OMPI_MCA_mpi_yield_when_idle") == "1");
  CHECK(command.environment.at("OMP_WAIT_POLICY") == "passive");
  CHECK(command.environment.at("OMP_PROC_BIND") == "false");
}

TEST_CASE("ranks that sleep are unbound and yield, however few, and lack no cores", "[run]") {
  for (const std::int64_t devices : {1, 8}) {
    const auto command = launch_command(
        train_study(), cell_on(devices, {{"compute", std::string("declared")}}), kTwoCores);
    CHECK_FALSE(command.oversubscribed);
    CHECK(command.cores_per_rank == 0);
    CHECK(command.environment.at("OMPI_MCA_mpi_yield_when_idle") == "1");
  }
}

TEST_CASE("several ranks on a GPU are oversubscribed though there are cores enough", "[run]") {
  LaunchResources resources = kTwoCores;
  resources.gpus = 1;

  CHECK(launch_command(train_study(), cell_on(2, {{"backend", "cuda"}}), resources).oversubscribed);
  CHECK_FALSE(
      launch_command(train_study(), cell_on(1, {{"backend", "cuda"}}), resources).oversubscribed);
  CHECK_FALSE(launch_command(train_study(), cell_on(2), resources).oversubscribed);

  resources.gpus = 0;  // nothing is shared where nothing can run: the trial ends as unsupported
  CHECK_FALSE(
      launch_command(train_study(), cell_on(2, {{"backend", "cuda"}}), resources).oversubscribed);
}

TEST_CASE("Open MPI is told of root only when it is root", "[run]") {
  LaunchResources resources = kTwoCores;
  CHECK_FALSE(launch_command(train_study(), cell_on(1), resources)
                  .environment.contains("OMPI_ALLOW_RUN_AS_ROOT"));

  resources.is_root = true;
  const auto environment = launch_command(train_study(), cell_on(1), resources).environment;
  CHECK(environment.at("OMPI_ALLOW_RUN_AS_ROOT") == "1");
  CHECK(environment.at("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1");
  CHECK(environment.at("OMPI_MCA_pml") == "ob1");
  CHECK(environment.at("OMPI_MCA_btl") == "self,vader");
}

TEST_CASE("ranks of one machine need no ssh", "[run]") {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink("/usr/bin/mpirun", folder.file("mpirun"));
  std::filesystem::create_symlink("/usr/bin/true", folder.file("true"));
  LaunchResources resources = kTwoCores;
  resources.is_root = true;
  resources.program = folder.file("true");
  const auto command = launch_command(train_study(), cell_on(1), resources);
  Words argv{"/usr/bin/env", "PATH=" + folder.path().string()};
  for (const auto& [name, value] : command.environment) {
    argv.push_back(name + "=" + value);
  }
  const auto starts = [&] {
    Words all = argv;
    all.insert(all.end(), command.argv.begin(), command.argv.end());
    return test::run_program(all).exit_code == 0;
  };

  CHECK(starts());
  argv.insert(argv.begin() + 1, {"-u", "OMPI_MCA_plm_rsh_agent"});
  std::erase(argv, "OMPI_MCA_plm_rsh_agent=true");
  CHECK_FALSE(starts());
}

TEST_CASE("an env parameter is set, and unset at its default", "[run]") {
  const std::string text =
      "version: 1\nstudy: s\nworkload: train\n"
      "parameters: {env.OMPI_MCA_pml: default, devices: 2, batch_global: 8}\n"
      "include:\n  - {env.OMPI_MCA_btl_vader_eager_limit: 256, env.OMPI_MCA_btl: default}\n"
      "  - {env.OMPI_MCA_coll_tuned_use_dynamic_rules: \"1\"}\ncontrols: [noop]\n";
  const Study study = parse_stored_study(text, "s.yaml");
  const Matrix matrix = expand(study);
  REQUIRE(matrix.cells.size() == 4);

  for (const std::size_t measured_or_noop : {0U, 2U}) {
    const auto one = launch_command(study, matrix.cells[measured_or_noop], kTwoCores);
    CHECK(one.environment.at("OMPI_MCA_btl_vader_eager_limit") == "256");
    CHECK_FALSE(one.environment.contains("OMPI_MCA_btl"));  // that of the harness
    CHECK(one.unset ==
          Words{"OMPI_MCA_btl", "OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_pml"});
  }
  const auto other = launch_command(study, matrix.cells[1], kTwoCores);
  CHECK(other.unset == Words{"OMPI_MCA_btl", "OMPI_MCA_btl_vader_eager_limit", "OMPI_MCA_pml"});
}

TEST_CASE("a command runs as it stands, without a launcher", "[run]") {
  Study study;
  study.workload = Workload::kCommand;
  study.command = {"torchrun", "--nproc={devices}", "{script}", "{\"json\": 1}"};
  Cell cell = cell_on(3, {{"script", "train.py"}});
  cell.nodes = 2;

  const auto command = launch_command(study, cell, kTwoCores);

  CHECK(command.argv == Words{"torchrun", "--nproc=3", "train.py", "{\"json\": 1}"});
  CHECK(command.environment.empty());
  CHECK(command.oversubscribed);
  CHECK(command.unsupported.empty());
}

TEST_CASE("a placeholder without a value in the cell is an error of the study", "[run]") {
  Study study;
  study.workload = Workload::kCommand;
  study.command = {"x", "{no_such}"};

  CHECK_THROWS_AS(launch_command(study, cell_on(1), kTwoCores), Error);
}

TEST_CASE("a trial's parameters hold the steps and keep their JSON kinds", "[run]") {
  const Cell cell = cell_on(2,
                            {{"env.NCCL_ALGO", "Ring"},
                             {"model", "mlp-\"x\""},
                             {"learning_rate", 0.25},
                             {"deterministic", true}});

  CHECK(protocol::format_parameters(trial_parameters(train_study(), cell)) ==
        "{\"deterministic\":true,\"devices\":2,\"learning_rate\":0.25,\"measured_steps\":7,"
        "\"model\":\"mlp-\\\"x\\\"\",\"warmup_steps\":3}");
}

TEST_CASE("a command's parameters hold both batch sizes", "[run]") {
  Study study = train_study();
  study.workload = Workload::kCommand;
  Cell cell = cell_on(2);
  cell.batch_global = 64;
  cell.batch_per_device = 32;

  const Parameters parameters = trial_parameters(study, cell);

  CHECK(format_value(parameters.at("batch_global")) == "64");
  CHECK(format_value(parameters.at("batch_per_device")) == "32");
  CHECK(format_value(parameters.at("nodes")) == "1");
}

TEST_CASE("a parameter of a command is its own, also where a workload of ours has that name",
          "[run]") {
  Study study = train_study();
  Cell cell = cell_on(1);
  cell.parameters["on_device"] = std::int64_t{1};

  CHECK_FALSE(trial_parameters(study, cell).contains("on_device"));
  study.workload = Workload::kCommand;
  CHECK(format_value(trial_parameters(study, cell).at("on_device")) == "1");
}

TEST_CASE("knobs of the user's shell reach no trial", "[run]") {
  const Words own{"PATH", "NCCL_DEBUG", "OMPI_MCA_btl", "OMP_NUM_THREADS", "NCCLX", "HOME"};

  CHECK(dropped_variables(Workload::kTrain, own) ==
        Words{"NCCL_DEBUG", "OMPI_MCA_btl", "OMP_NUM_THREADS"});
  CHECK(dropped_variables(Workload::kCommand, own) == Words{"NCCL_DEBUG", "OMPI_MCA_btl"});
}

TEST_CASE("a command may name where it is launched", "[run]") {
  Study study;
  study.workload = Workload::kCommand;
  study.command = {"torchrun",
                   "--nnodes={nodes}",
                   "--node-rank={node_rank}",
                   "--nproc-per-node={devices}",
                   "--master-addr={master_addr}",
                   "--master-port={master_port}"};
  study.working_folder = "/data/{size}";
  study.environment = {{"SIZE", "{size}"}, {"PORT", "{master_port}"}};
  study.setup = {"make", "{size}"};
  study.cleanup = {"rm", "{size}"};

  const LaunchCommand made =
      launch_command(study, cell_on(2, {{"size", std::int64_t{8}}}), kTwoCores);
  const LaunchCommand command = with_free_port(made);

  CHECK(Words(command.argv.begin(), command.argv.end() - 1) == Words{"torchrun",
                                                                     "--nnodes=1",
                                                                     "--node-rank=0",
                                                                     "--nproc-per-node=2",
                                                                     "--master-addr=127.0.0.1"});
  CHECK(made.argv.back() == "--master-port={master_port}");
  CHECK(command.argv.back() == "--master-port=" + command.environment.at("PORT"));
  CHECK(std::stoi(command.environment.at("PORT")) > 1023);
  CHECK(command.environment.at("SIZE") == "8");
  CHECK(command.working_folder == "/data/8");
  CHECK(command.setup == Words{"make", "8"});
  CHECK(command.cleanup == Words{"rm", "8"});
}

TEST_CASE("a trial's folder stands wherever a command names it", "[run]") {
  LaunchCommand command;
  command.argv = {"{trial_folder}/a:{trial_folder}/b", "--again={trial_folder}{trial_folder}"};

  CHECK(with_trial_folder(command, "/r/trial").argv ==
        Words{"/r/trial/a:/r/trial/b", "--again=/r/trial/r/trial"});
}

TEST_CASE("a side takes its commit's files, its variables and its prefix", "[run]") {
  const std::string top = std::filesystem::weakly_canonical(".").string();
  LaunchResources resources = kTwoCores;
  resources.program = top + "/build/bin/train";
  resources.checkouts["before"] = {.repository = top, .folder = "/results/checkouts/4f2a"};
  Study study = train_study();
  study.sides.resize(3);
  study.sides[0].name = "before";
  study.sides[0].commit = "4f2a";
  study.sides[0].environment = {{"LD_PRELOAD", "old.so"}, {"IMAGE", "of {devices}: {image}"}};
  study.sides[1].name = "inside";
  study.sides[1].prefix = {"apptainer", "exec", "{image}"};
  study.sides[2].name = "here";
  const auto on = [&](const std::string& side) {
    return cell_on(2, {{"side", side}, {"image", "new.sif"}});
  };
  const auto last_words = [](const LaunchCommand& command, std::ptrdiff_t count) {
    return Words(command.argv.end() - count, command.argv.end());
  };

  const LaunchCommand before = launch_command(study, on("before"), resources);
  CHECK(before.argv.front() == "mpirun");
  CHECK(before.argv.back() == "/results/checkouts/4f2a/build/bin/train");
  CHECK(before.environment.at("LD_PRELOAD") == "old.so");
  CHECK(before.environment.at("IMAGE") == "of 2: new.sif");
  CHECK(before.checkout_side == "before");
  CHECK(last_words(launch_command(study, on("inside"), resources), 4) ==
        Words{"apptainer", "exec", "new.sif", resources.program});
  const LaunchCommand here = launch_command(study, on("here"), resources);
  CHECK(here.argv.back() == resources.program);
  CHECK_FALSE(here.environment.contains("LD_PRELOAD"));
  CHECK(here.checkout_side.empty());
  CHECK_FALSE(trial_parameters(study, on("before")).contains("side"));

  study.workload = Workload::kCommand;
  study.command = {"./train.sh"};
  study.environment = {{"LD_PRELOAD", "usual.so"}};
  const LaunchCommand moved = launch_command(study, on("before"), resources);
  CHECK(moved.argv == Words{"./train.sh"});
  CHECK(moved.working_folder == "/results/checkouts/4f2a/");
  CHECK(moved.environment.at("LD_PRELOAD") == "old.so");
  study.working_folder = "scripts/deep";
  CHECK(launch_command(study, on("before"), resources).working_folder ==
        "/results/checkouts/4f2a/scripts/deep");
  CHECK(launch_command(study, on("inside"), resources).argv ==
        Words{"apptainer", "exec", "new.sif", "./train.sh"});
  CHECK(launch_command(study, on("here"), resources).environment.at("LD_PRELOAD") == "usual.so");
}

// Studies as jobs of a real Slurm that runs on this machine alone.
#include "tests/submit/slurm.h"

#include <csignal>

#include <sys/mount.h>

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

// Two ranks on one node and on two, of each workload.
constexpr const char* kTrain = R"(version: 1
study: two-nodes
workload: train
parameters: {model: mlp-258k, batch_global: 8}
zip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]
steps: {warmup: 1, measured: 3}
trials: {count: 3}
limits: {timeout: 60s, retries: 0}
analysis: {baseline: {devices: 1}}
)";

// A study and its results folder on which this Slurm's jobs work.
class SubmittedStudy {
 public:
  SubmittedStudy(const Slurm& slurm, const std::string& text) : slurm_(slurm) {
    write_file(file("study.yaml"), text);
    write_file(file("machines.yaml"),
               "machines: {test: {cores_per_node: 2, sbatch: [--exclusive]}}\n");
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string results() const { return folder_.file("results"); }
  std::filesystem::path job(int number) const {
    return folder_.path() / "results/jobs/two-nodes" / ("job" + std::to_string(number));
  }

  ProgramResult scalestudy(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SCALESTUDY_TEST_BIN "/scalestudy", "--results", results()});
    return slurm_.run(arguments);
  }

  void submit(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "submit", file("study.yaml"), "--machine", file("machines.yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult submitted = scalestudy(arguments);
    INFO(submitted.err);
    REQUIRE(submitted.exit_code == 0);
  }

  void gather() const {
    const ProgramResult gathered = scalestudy({"submit", "two-nodes", "--gather"});
    INFO(gathered.err);
    REQUIRE(gathered.exit_code == 0);
  }

  std::string query(const std::string& sql) const {
    return scalestudy({"query", "--format", "csv", sql}).out;
  }

  // Every trial that counts: what a study that was left alone has, too.
  std::string outcome() const {
    return query(
        "SELECT cell, nodes, block, position, state, hosts, reason, count(*) FROM trials "
        "WHERE NOT superseded GROUP BY cell, nodes, block, position, state, hosts, reason "
        "ORDER BY position");
  }

  std::string logs() const {
    return slurm_.run({"sh", "-c", "tail -n 20 " + results() + "/jobs/*/job*/slurm.log"}).out;
  }

  // Until some trial of that job runs; false when none does.
  bool wait_for_trial(int number) const {
    return wait_until(
        [&] {
          usleep(20'000);
          return !processes_with("SCALESTUDY_STORE=" + job(number).string()).empty() ||
                 has_running(number);
        },
        30.0);
  }

 private:
  bool has_running(int number) const {
    return slurm_
               .run({SCALESTUDY_TEST_BIN "/scalestudy",
                     "--results",
                     job(number),
                     "query",
                     "--format",
                     "csv",
                     "SELECT count(*) AS n FROM trial WHERE state = 'running'"})
               .out == "n\n1\n";
  }

  const Slurm& slurm_;
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a study in jobs that are requeued, killed and told to end is one left alone",
          "[submit]") {
  const Slurm slurm;
  const SubmittedStudy alone(slurm, kTrain);
  alone.submit();
  REQUIRE(slurm.wait_for_all(60.0));
  alone.gather();
  INFO(alone.logs());
  CHECK(alone.query("SELECT state, hosts, count(*) AS n FROM trials GROUP BY state, hosts") ==
        "state,hosts,n\nok,n0,3\nok,\"n0,n1\",3\n");

  const SubmittedStudy study(slurm, kTrain);
  study.submit();
  REQUIRE(study.wait_for_trial(1));
  CHECK_THAT(study.scalestudy({"status"}).out, Contains("job 1: running (n[0-1])"));
  slurm.run({"scontrol", "requeue", slurm.job(1)});  // as a preemption does
  REQUIRE(study.wait_for_trial(2));
  slurm.run({"scancel", "--batch", "--signal=TERM", slurm.job(2)});  // as before the time limit
  REQUIRE(study.wait_for_trial(3));
  slurm.fail_node("n1");
  slurm.resume_node("n1");
  const bool is_over = slurm.wait_for_all(60.0);
  INFO(study.logs());
  REQUIRE(is_over);
  study.gather();

  CHECK(study.outcome() == alone.outcome());
  CHECK_THAT(study.scalestudy({"status"}).out, Contains("3 jobs: 3 done"));
  const ProgramResult again = study.scalestudy({"submit", "two-nodes"});
  CHECK_THAT(again.err, Contains("every job is done"));
}

TEST_CASE("what a killed job left is sent again, goes on and is gathered once", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, kTrain);
  study.submit({"--set", "trials.count=2", "--blocks-per-job", "2"});
  REQUIRE(study.wait_for_trial(1));
  usleep(1'500'000);  // some trials have ended
  CHECK(slurm.kill_run(slurm.job(1)) > 0);
  REQUIRE(slurm.wait_for_all(30.0));
  INFO(study.logs());
  CHECK_THAT(study.scalestudy({"status"}).out, Contains("job 1: left"));
  study.gather();
  // They are the jobs' to run: run here too, they could not be merged.
  const ProgramResult here = study.scalestudy({"run", "two-nodes"});
  CHECK(here.exit_code == 2);
  CHECK_THAT(here.err, Contains("its trials are the jobs' to run"));

  REQUIRE(study.scalestudy({"submit", "two-nodes"}).exit_code == 0);
  REQUIRE(slurm.wait_for_all(60.0));
  study.gather();
  study.gather();

  CHECK(study.query("SELECT nodes, block, state, hosts, count(*) AS n FROM trials "
                    "GROUP BY nodes, block, state, hosts") ==
        "nodes,block,state,hosts,n\n1,0,ok,n0,1\n1,1,ok,n0,1\n2,0,ok,\"n0,n1\",1\n"
        "2,1,ok,\"n0,n1\",1\n");
  CHECK(study.scalestudy({"run", "two-nodes"}).exit_code == 0);  // nothing is left to run
}

TEST_CASE("jobs merged in any order, by two at once, give the same bytes", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, kTrain);
  study.submit();
  REQUIRE(slurm.wait_for_all(60.0));
  INFO(study.logs());
  const auto merged = [&](const std::string& name, const std::vector<int>& order) {
    std::vector<std::string> merge{
        SCALESTUDY_TEST_BIN "/scalestudy", "--results", study.file(name), "merge"};
    for (const int job : order) {
      merge.push_back(study.job(job));
    }
    REQUIRE(slurm.run(merge).exit_code == 0);
    REQUIRE(slurm
                .run({SCALESTUDY_TEST_BIN "/scalestudy",
                      "--results",
                      study.file(name),
                      "export",
                      "two-nodes",
                      study.file(name + "-text")})
                .exit_code == 0);
    return slurm
        .run({"sh", "-c", "cd " + study.file(name + "-text") + " && cat $(find . -type f | sort)"})
        .out;
  };

  const std::string once = merged("once", {1, 2, 3});
  CHECK_THAT(once, Contains("n0,n1"));
  CHECK(merged("other", {3, 1, 2, 3}) == once);
  CHECK(merged("once", {2}) == once);

  // Two gatherers at once: one of them may find the folder locked, and nothing is there twice.
  const auto start = [&](const std::string& name) {
    return start_program({SCALESTUDY_TEST_BIN "/scalestudy",
                          "--results",
                          study.results(),
                          "submit",
                          "two-nodes",
                          "--gather"},
                         slurm.variables(),
                         "/dev/null",
                         study.file(name + ".out"),
                         study.file(name + ".err"));
  };
  const pid_t first = start("first");
  const pid_t second = start("second");
  const int first_code = wait_for(first);
  const int second_code = wait_for(second);
  CHECK((first_code == 0 || first_code == 75));
  CHECK((second_code == 0 || second_code == 75));
  CHECK((first_code == 0 || second_code == 0));
  study.gather();
  CHECK(study.query("SELECT count(*) AS n, sum(state = 'ok') AS ok FROM trials") == "n,ok\n6,6\n");
}

TEST_CASE("a collective over two nodes is started by srun, and held to its nodes", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, R"(version: 1
study: two-nodes
workload: collective
parameters: {nodes: 2, devices: 2, message_bytes: 4096}
steps: {warmup: 1, measured: 2}
trials: {count: 1}
limits: {timeout: 60s, retries: 0}
)");
  write_file(study.file("machines.yaml"),
             "machines: {test: {launcher: srun, cores_per_node: 2}}\n");

  study.submit();
  REQUIRE(slurm.wait_for_all(60.0));
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT state, reason, hosts FROM trials") ==
        "state,reason,hosts\nok,,\"n0,n1\"\n");
  CHECK(study.query("SELECT value FROM readings WHERE name = 'node_count'") == "value\n2\n");
  // Of a trial that srun starts nobody here knows whose CPU time is whose.
  CHECK(study.query("SELECT count(foreign_load) AS n FROM trials") == "n\n0\n");
}

TEST_CASE("ranks that srun starts without their MPI are N programs, and the trial says so",
          "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, R"(version: 1
study: two-nodes
workload: train
parameters: {model: mlp-258k, batch_global: 8, nodes: 2, devices: 2}
steps: {warmup: 1, measured: 2}
trials: {count: 1}
limits: {timeout: 60s, retries: 0}
)");
  // As where Slurm and Open MPI do not know each other, and each rank takes itself for alone.
  std::filesystem::create_directories(study.file("bin"));
  write_file(study.file("bin/alone"),
             "#!/bin/sh\nunset $(env | sed -n 's/^\\(SLURM_[A-Za-z0-9_]*\\)=.*/\\1/p')\n"
             "exec \"$@\"\n");
  write_file(study.file("bin/srun"), R"(#!/bin/sh
left=$#
for argument; do
  shift
  [ "$argument" != --mpi=pmix ] || argument=--mpi=none
  [ $left != 1 ] || set -- "$@" "${0%/*}/alone"
  set -- "$@" "$argument"
  left=$((left - 1))
done
exec /usr/bin/srun "$@"
)");
  for (const char* program : {"bin/alone", "bin/srun"}) {
    std::filesystem::permissions(study.file(program), std::filesystem::perms::owner_all);
  }
  write_file(
      study.file("machines.yaml"),
      "machines: {test: {launcher: srun, setup: ['PATH=" + study.file("bin") + ":$PATH']}}\n");

  study.submit();
  REQUIRE(slurm.wait_for_all(60.0));
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT state FROM trials") == "state\nfailed\n");
  CHECK_THAT(study.query("SELECT reason FROM trials"),
             Contains("each rank runs alone: the launcher and this MPI library do not know each "
                      "other"));
}

TEST_CASE("a command is started once on each node, and told where it is", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, "");
  write_file(study.file("study.yaml"),
             R"(version: 1
study: two-nodes
workload: command
command:
  - sh
  - -c
  - >-
    echo $SLURMD_NODENAME $RANK {node_rank}of{nodes} {master_addr} {master_port}
    >> $HERE/{nodes}.{node_rank}; echo took 0.{nodes}
zip: [{nodes: 1, devices: 2}, {nodes: 2, devices: 2}]
extract: [{metric: step_time_s, unit: s, regex: 'took (\S+)'}]
steps: {warmup: 0, measured: 1}
trials: {count: 1}
limits: {timeout: 60s, retries: 0}
env: {RANK: "rank{node_rank}", HERE: )" +
                 std::filesystem::path(study.file("x")).parent_path().string() + "}\n");

  study.submit();
  REQUIRE(slurm.wait_for_all(60.0));
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT nodes, state, reason, hosts FROM trials ORDER BY nodes") ==
        "nodes,state,reason,hosts\n1,ok,,n0\n2,ok,,\"n0,n1\"\n");
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  CHECK_THAT(read_file(study.file("1.0")), StartsWith("n0 rank0 0of1 127.0.0.1 "));
  const std::string first = read_file(study.file("2.0"));
  const std::string second = read_file(study.file("2.1"));
  // n0 is no name of this machine's network.
  CHECK_THAT(first, StartsWith("n0 rank0 0of2 " + std::string(host.data()) + " "));
  CHECK_THAT(second, StartsWith("n1 rank1 1of2 " + std::string(host.data()) + " "));
  CHECK(first.substr(first.rfind(' ')) == second.substr(second.rfind(' ')));  // one port
}

TEST_CASE("results whose file system goes away and comes back lose nothing", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, kTrain);
  study.submit({"--set", "trials.count=1"});
  REQUIRE(study.wait_for_trial(1));
  // As a server that is gone: no name below the folder leads anywhere.
  std::filesystem::rename(study.job(1), study.file("away"));
  REQUIRE(slurm.wait_for_all(60.0));
  std::error_code ignored;
  std::filesystem::remove_all(study.job(1), ignored);
  std::filesystem::rename(study.file("away"), study.job(1));

  CHECK_THAT(study.scalestudy({"status"}).out, Contains("job 1: left"));
  REQUIRE(study.scalestudy({"submit", "two-nodes"}).exit_code == 0);
  REQUIRE(slurm.wait_for_all(60.0));
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT nodes, state, hosts, count(*) AS n FROM trials WHERE NOT superseded "
                    "GROUP BY nodes, state, hosts") ==
        "nodes,state,hosts,n\n1,ok,n0,1\n2,ok,\"n0,n1\",1\n");
}

TEST_CASE("PyTorch's DDP runs over two nodes, and is gathered once", "[submit]") {
  if (run_program({"python3", "-c", "import torch.distributed"}).exit_code != 0) {
    skip("python3 has no torch (apt-get install python3-torch)");
  }
  const Slurm slurm;
  const SubmittedStudy study(slurm, R"(version: 1
study: two-nodes
workload: command
command:
  - torchrun
  - --tee=1
  - --redirects=1
  - --nnodes={nodes}
  - --node_rank={node_rank}
  - --nproc_per_node=1
  - --master_addr={master_addr}
  - --master_port={master_port}
  - )" SCALESTUDY_SOURCE_DIR R"(/docs/own-program/train_ddp.py
  - --batch=16
  - --steps=4
  - --width=16
env: {OMP_NUM_THREADS: 1}
extract: [{metric: step_time_s, unit: ms, regex: 'step \d+: .* (\S+) ms'}]
zip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]
steps: {warmup: 1, measured: 3}
trials: {count: 1}
limits: {timeout: 100s, retries: 0}
)");
  study.submit();
  REQUIRE(study.wait_for_trial(1));
  slurm.run({"scontrol", "requeue", slurm.job(1)});
  REQUIRE(slurm.wait_for_all(100.0));
  study.gather();
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT nodes, state, reason, hosts, steps FROM trials ORDER BY nodes") ==
        "nodes,state,reason,hosts,steps\n1,ok,,n0,3\n2,ok,,\"n0,n1\",3\n");
}

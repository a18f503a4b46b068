// Studies as jobs of a real Slurm that runs on this machine alone.
#include "tests/submit/slurm.h"

#include "tests/submit/submitted_study.h"

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

// Trials of a command, on one node each.
std::string command_study(const std::string& command, int trials) {
  return "version: 1\nstudy: two-nodes\nworkload: command\ncommand: [sh, -c, '" + command +
         "; echo took 0.5']\nextract: [{metric: step_time_s, unit: s, regex: \"took (\\\\S+)\"}]\n"
         "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none}\ntrials: {count: " +
         std::to_string(trials) + "}\nlimits: {timeout: 60s, retries: 0}\n";
}

// How many jobs Slurm was given, arrays as one.
std::size_t submissions(const Slurm& slurm) {
  const std::string jobs =
      slurm.run({"sh", "-c", "scontrol show job | grep -o 'ArrayJobId=[0-9]*' | sort -u"}).out;
  return static_cast<std::size_t>(std::ranges::count(jobs, '\n'));
}

bool has_ok_trial(const Slurm& slurm, const SubmittedStudy& study) {
  const std::string ok = "SELECT state FROM trials WHERE state = 'ok'";
  return slurm
             .run({SCALESTUDY_TEST_BIN "/scalestudy",
                   "--results",
                   study.job(1),
                   "query",
                   "--format",
                   "csv",
                   ok})
             .out.find("ok") != std::string::npos;
}

}  // namespace

TEST_CASE("a study whose jobs are preempted by cancelling becomes whole without a person",
          "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, command_study("sleep 1", 6));
  write_file(study.file("machines.yaml"),
             "machines: {test: {cores_per_node: 2, partition: cheap, sbatch: [--exclusive]}}\n");
  study.submit({"--blocks-per-job", "6", "--resubmit"});
  REQUIRE(wait_until([&] { return has_ok_trial(slurm, study); }, kLongS));

  slurm.preempt();
  REQUIRE(slurm.wait_for_all());

  INFO(study.logs() << read_file(std::filesystem::path(study.results()) /
                                 "jobs/two-nodes/resubmit.log"));
  CHECK_THAT(slurm.run({"scontrol", "show", "job"}).out, Contains("JobState=PREEMPTED"));
  CHECK(submissions(slurm) == 2);
  CHECK_THAT(study.scalestudy({"status"}).out, Contains("two-nodes: 1 job: 1 done"));
  // Gathered, too.
  CHECK(study.query("SELECT state, count(*) AS n FROM trials WHERE NOT superseded "
                    "GROUP BY state") == "state,n\nok,6\n");
}

TEST_CASE("a study that makes no progress between two submissions is not submitted again",
          "[submit]") {
  const Slurm slurm;
  // A trial that heeds SIGTERM can end long before the run is told, and count, on a busy machine.
  const SubmittedStudy study(slurm,
                             command_study("trap \"\" TERM; scancel $SLURM_JOB_ID; sleep 60", 2));

  study.submit({"--blocks-per-job", "2", "--resubmit"});
  REQUIRE(slurm.wait_for_all());

  const std::filesystem::path log =
      std::filesystem::path(study.results()) / "jobs/two-nodes/resubmit.log";
  REQUIRE(wait_until([&] { return std::filesystem::exists(log); }, kLongS));
  CHECK_THAT(read_file(log),
             Contains("two-nodes: 2 trials are left, and none ended since the last submission"));
  CHECK(submissions(slurm) == 1);
}

TEST_CASE("a study is submitted again as often as it may be", "[submit][slow]") {
  const Slurm slurm;
  const TemporaryFolder folder;
  const std::string done = folder.file("done.$SLURM_JOB_ID");
  // After one trial of a job has ended, the others cancel it, however often they are started, and
  // heed no signal but SIGKILL, so that the job takes its time to end.
  const SubmittedStudy study(
      slurm,
      command_study("[ ! -e " + done +
                        " ] || { trap \"\" TERM; scancel $SLURM_JOB_ID; sleep 60; }; " + "touch " +
                        done,
                    3));

  study.submit({"--blocks-per-job", "3", "--resubmit=1"});
  REQUIRE(slurm.wait_for_all());

  CHECK_THAT(read_file(std::filesystem::path(study.results()) / "jobs/two-nodes/resubmit.log"),
             Contains("two-nodes: 1 trial is left after the last resubmission that was allowed"));
  CHECK(submissions(slurm) == 2);
  CHECK(study.query("SELECT count(*) AS n FROM trials WHERE state = 'ok'") == "n\n2\n");
}

TEST_CASE("what a killed job left is sent again, goes on and is gathered once", "[submit]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, kTrain);
  study.submit({"--set", "trials.count=2", "--blocks-per-job", "2"});
  REQUIRE(wait_until([&] { return has_ok_trial(slurm, study); }, kLongS));
  CHECK(slurm.kill_run(slurm.job(1)) > 0);
  REQUIRE(slurm.wait_for_all());
  INFO(study.logs());
  CHECK_THAT(study.scalestudy({"status"}).out, Contains("job 1: left"));
  study.gather();
  // They are the jobs' to run: run here too, they could not be merged.
  const ProgramResult here = study.scalestudy({"run", "two-nodes"});
  CHECK(here.exit_code == 2);
  CHECK_THAT(here.err, Contains("its trials are the jobs' to run"));

  const ProgramResult again = study.scalestudy({"submit", "two-nodes"});
  REQUIRE(again.exit_code == 0);
  CHECK_THAT(again.err, Contains("two-nodes: Each job holds 2 nodes, as many as the largest cell"));
  REQUIRE(slurm.wait_for_all());
  study.gather();
  CHECK_THAT(study.scalestudy({"submit", "two-nodes", "--gather"}).err,
             Contains("two-nodes: Each job held 2 nodes, as many as the largest cell needs: "));

  CHECK(study.query("SELECT nodes, block, state, hosts, count(*) AS n FROM trials "
                    "GROUP BY nodes, block, state, hosts") ==
        "nodes,block,state,hosts,n\n1,0,ok,n0,1\n1,1,ok,n0,1\n2,0,ok,\"n0,n1\",1\n"
        "2,1,ok,\"n0,n1\",1\n");
  CHECK(study.scalestudy({"run", "two-nodes"}).exit_code == 0);  // nothing is left to run
}

TEST_CASE("jobs of folders with blanks, quotes and per cents run in them", "[submit][slow]") {
  const Slurm slurm;
  const TemporaryFolder folder;
  const SubmittedStudy study(slurm, kTrain, folder.file("a b\t\"c\" it's #1 50%a"));
  const std::string working_folder = folder.file("work \"in\" 5%j #2");
  std::filesystem::create_directory(working_folder);
  const ProgramResult submitted = slurm.run({"env",
                                             "-C",
                                             working_folder,
                                             SCALESTUDY_TEST_BIN "/scalestudy",
                                             "--results",
                                             study.results(),
                                             "submit",
                                             study.file("study.yaml"),
                                             "--machine",
                                             study.file("machines.yaml"),
                                             "--set",
                                             "trials.count=1"});
  INFO(submitted.err);
  REQUIRE(submitted.exit_code == 0);
  REQUIRE(slurm.wait_for_all());
  study.gather();

  CHECK(study.query("SELECT count(*) AS n FROM trials WHERE state = 'ok'") == "n\n2\n");
  REQUIRE(std::filesystem::exists(study.job(1) / "slurm.log"));
  CHECK_THAT(read_file(study.job(1) / "slurm.log"), !Contains("chdir"));
  CHECK_THAT(slurm.run({"scontrol", "show", "job"}).out,
             Contains("WorkDir=" + working_folder + "\n"));
}

TEST_CASE("jobs merged in any order, by two at once, give the same bytes", "[submit][slow]") {
  const Slurm slurm;
  const SubmittedStudy study(slurm, kTrain);
  study.submit();
  REQUIRE(slurm.wait_for_all());
  INFO(study.logs());
  const std::string once = study.merged("once", {1, 2, 3});
  CHECK_THAT(once, Contains("n0,n1"));
  CHECK(study.merged("other", {3, 1, 2, 3}) == once);
  CHECK(study.merged("once", {2}) == once);

  // Two gatherers at once: one of them may find the folder locked, and nothing is there twice.
  const pid_t first = study.start_gathering("1");
  const pid_t second = study.start_gathering("2");
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
  REQUIRE(slurm.wait_for_all());
  study.gather();

  INFO(study.logs());
  CHECK(study.query("SELECT state, reason, hosts FROM trials") ==
        "state,reason,hosts\nok,,\"n0,n1\"\n");
  CHECK(study.query("SELECT value FROM readings WHERE name = 'node_count'") == "value\n2\n");
  // Of a trial that srun starts nobody here knows whose CPU time is whose.
  CHECK(study.query("SELECT count(foreign_load) AS n FROM trials") == "n\n0\n");
}

TEST_CASE("ranks that srun starts without their MPI are N programs, and the trial says so",
          "[submit][slow]") {
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
  REQUIRE(slurm.wait_for_all());
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
  REQUIRE(slurm.wait_for_all());
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

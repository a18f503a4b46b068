#include "harness/submit/batch_script.h"

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// What the script calls, as shell functions and programs of the test's own.
struct Job {
  Job() {
    std::filesystem::create_directories(folder.path() / "jobs/job2");
    batch.study = "demo";
    batch.name = "scalestudy-demo-0011";
    batch.program = folder.path() / "bin/scalestudy";
    batch.folder = folder.path() / "jobs";
    batch.working_folder = "/work";
    batch.jobs = {1, 2};
    batch.blocks_per_job = 2;
    batch.blocks = 3;
    std::filesystem::create_directories(folder.path() / "bin");
    program("scalestudy",
            "echo \"$@\" >> \"$CALLS\"; [ \"$3\" = run ] || { cat \"$ENDED\"; exit; }\n"
            "echo x >> \"$ENDED\"; exit \"$CODE\"\n");
    program("squeue", "echo \"$STATE\"\n");
    program("scontrol", "echo \"$@\" >> \"$CALLS\"\n");
  }

  void program(const std::string& name, const std::string& text) const {
    const auto path = folder.path() / "bin" / name;
    write_file(path, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  // The exit code of a start of job 2, and what it called.
  ProgramResult start(int code, const std::string& state = "RUNNING") const {
    write_file(folder.file("calls"), "");
    ProgramResult ran = run_program({"sh", "-c", batch_script(batch)},
                                    {"PATH=" + folder.file("bin") + ":/usr/bin:/bin",
                                     "CALLS=" + folder.file("calls"),
                                     "ENDED=" + folder.file("ended"),
                                     "CODE=" + std::to_string(code),
                                     "STATE=" + state,
                                     "SLURM_JOB_ID=17",
                                     "SLURM_ARRAY_TASK_ID=2"});
    ran.out = read_file(folder.path() / "calls");
    return ran;
  }

  TemporaryFolder folder;
  Batch batch;
};

}  // namespace

TEST_CASE("a script asks for what the cells need and the machine says", "[submit]") {
  Job job;
  job.batch.request = {.nodes = 2,
                       .tasks_per_node = 4,
                       .cores_per_task = 8,
                       .gpus_per_node = 4,
                       .time_limit_s = 3 * 3600.0 + 61.0};
  job.batch.machine.name = "cluster";
  job.batch.machine.account = "abc";
  job.batch.machine.partition = "gpu";
  job.batch.machine.constraint = "h100";
  job.batch.machine.sbatch = {"--exclusive"};
  job.batch.machine.setup = {"module load openmpi"};

  const std::string script = batch_script(job.batch);

  for (const char* line : {"#!/bin/sh\n#SBATCH --job-name=scalestudy-demo-0011\n",
                           "\n#SBATCH --array=1-2\n",
                           "\n#SBATCH --nodes=2\n",
                           "\n#SBATCH --ntasks-per-node=4\n",
                           "\n#SBATCH --cpus-per-task=8\n",
                           "\n#SBATCH --gpus-per-node=4\n",
                           "\n#SBATCH --account=abc\n",
                           "\n#SBATCH --partition=gpu\n",
                           "\n#SBATCH --constraint=h100\n",
                           "\n#SBATCH --time=3:02:00\n",
                           "\n#SBATCH --exclusive\n",
                           "\n#SBATCH --requeue\n",
                           "\n#SBATCH --signal=B:TERM@60\n",
                           "\n#SBATCH --chdir=/work\n",
                           "\nmodule load openmpi\n"}) {
    CHECK_THAT(script, Contains(line));
  }
  CHECK_THAT(script, Contains("--machine " + job.folder.file("jobs/machine.yaml")));
  job.batch.request = {};
  CHECK_THAT(batch_script(job.batch), !Contains("gpus-per-node"));
  CHECK_THAT(batch_script(job.batch), !Contains("cpus-per-task"));
}

TEST_CASE("a folder of any name is one word of a script's line, or refused", "[submit]") {
  Job job;
  job.batch.folder = "/a b/50%/\"c\"/it's\t#1/jobs";
  job.batch.working_folder = "/a b/50%";
  job.batch.machine.account = "a#1";

  const std::string script = batch_script(job.batch);

  CHECK_THAT(
      script,
      Contains("\n#SBATCH \"--output=/a b/50%%/\\\"c\\\"/it's\t#1/jobs/job%a/slurm.log\"\n"));
  CHECK_THAT(script, Contains("\n#SBATCH \"--chdir=/a b/50%\"\n"));
  CHECK_THAT(script, Contains("\n#SBATCH \"--account=a#1\"\n"));
  for (const char* name : {"/work/a\ntouch /tmp/b", "/work/a\rb", "/work/a\\b", "/work/\x1b[2J"}) {
    job.batch.working_folder = name;
    CHECK_THROWS_WITH(batch_script(job.batch), Contains("submit from another folder"));
    job.batch.working_folder = "/work";
    std::swap(job.batch.folder, job.batch.working_folder);
    job.batch.folder = name;
    CHECK_THROWS_WITH(batch_script(job.batch), Contains("submit from another folder"));
  }
}

TEST_CASE("a job runs its blocks, the last one those that there are", "[submit]") {
  const Job job;

  const ProgramResult ran = job.start(0);

  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out,
             Contains("--results " + job.folder.file("jobs/job2") + " run demo --blocks 3-3\n"));
  CHECK_THAT(ran.out, !Contains("requeue"));
}

TEST_CASE("a job that was interrupted goes on, one that failed or was cancelled does not",
          "[submit]") {
  const Job job;
  CHECK_THAT(job.start(130).out, Contains("requeue 17\n"));
  CHECK_THAT(job.start(75).out, Contains("requeue 17\n"));

  for (const int code : {1, 2, 3}) {
    const ProgramResult ran = job.start(code);
    CHECK(ran.exit_code == code);
    CHECK_THAT(ran.out, !Contains("requeue"));
  }
  const ProgramResult cancelled = job.start(130, "COMPLETING");
  CHECK(cancelled.exit_code == 130);
  CHECK_THAT(cancelled.out, !Contains("requeue"));
}

TEST_CASE("three starts in a row that ended no trial are the last ones", "[submit]") {
  const Job job;
  job.program("scalestudy", "[ \"$3\" = run ] || { cat \"$ENDED\"; exit; }\nexit \"$CODE\"\n");
  CHECK_THAT(job.start(130).out, Contains("requeue"));
  CHECK_THAT(job.start(130).out, Contains("requeue"));
  const ProgramResult last = job.start(130);
  CHECK(last.exit_code == 130);
  CHECK_THAT(last.out, !Contains("requeue"));

  Job().start(0);  // another folder's
  job.program("scalestudy",
              "[ \"$3\" = run ] || { cat \"$ENDED\"; exit; }\necho x >> \"$ENDED\"\nexit 130\n");
  CHECK_THAT(job.start(130).out, Contains("requeue"));  // one that ended a trial counts anew
}

TEST_CASE("a follow-up begins after all jobs of its name and asks for little", "[submit]") {
  Job job;
  job.batch.request = {.nodes = 2, .tasks_per_node = 4, .gpus_per_node = 4};
  job.batch.machine.name = "cluster";
  job.batch.machine.partition = "gpu";
  job.batch.machine.setup = {"module load openmpi"};

  const std::string script = follow_up_script(job.batch, 3, 12);

  for (const char* line : {"#!/bin/sh\n#SBATCH --job-name=scalestudy-demo-0011\n",
                           "\n#SBATCH --dependency=singleton\n",
                           "\n#SBATCH --nodes=1\n",
                           "\n#SBATCH --partition=gpu\n",
                           "\n#SBATCH --time=0:30:00\n",
                           "/resubmit.log\n",
                           "\nmodule load openmpi\n"}) {
    CHECK_THAT(script, Contains(line));
  }
  CHECK_THAT(script, !Contains("--array") && !Contains("gpus-per-node"));
  job.batch.machine.time_limit_s = 600.0;
  CHECK_THAT(follow_up_script(job.batch, 3, 12), Contains("\n#SBATCH --time=0:10:00\n"));
}

TEST_CASE("a follow-up gathers, submits again, and waits for whoever holds the results",
          "[submit]") {
  Job job;
  job.batch.folder = job.folder.path() / "results/jobs/demo";
  job.program("sleep", "echo slept >> \"$CALLS\"\n");
  job.program("scalestudy",
              "echo \"$SCALESTUDY_ENDED_BEFORE $*\" >> \"$CALLS\"\n"
              "[ -e \"$CALLS$5\" ] || { touch \"$CALLS$5\"; exit 75; }\n"
              "[ \"$5\" = --gather ] || exit 3\n");
  const ProgramResult ran = run_program(
      {"sh", "-c", follow_up_script(job.batch, 3, 12)},
      {"PATH=" + job.folder.file("bin") + ":/usr/bin:/bin", "CALLS=" + job.folder.file("calls")});

  const std::string results = "--results " + job.folder.file("results") + " submit demo ";
  const std::string gather = " " + results + "--gather\n";
  const std::string submit = "12 " + results + "--resubmit=3\n";
  CHECK(ran.exit_code == 3);
  CHECK(read_file(job.folder.path() / "calls") ==
        gather + "slept\n" + gather + submit + "slept\n" + submit);
}

TEST_CASE("a follow-up that cannot gather does not end as if it had", "[submit]") {
  Job job;
  job.batch.folder = job.folder.path() / "results/jobs/demo";
  job.program("scalestudy", "[ \"$5\" != --gather ] || exit 2\n");

  const ProgramResult ran = run_program({"sh", "-c", follow_up_script(job.batch, 3, 12)},
                                        {"PATH=" + job.folder.file("bin") + ":/usr/bin:/bin"});

  CHECK(ran.exit_code == 2);
}

TEST_CASE("a follow-up waits for jobs that were cancelled and still end, but not for ever",
          "[submit]") {
  const bool is_stuck = GENERATE(false, true);
  const auto [limit_s, most_waits] =
      GENERATE(std::pair(std::optional<double>(), 60), std::pair(std::optional(120.0), 12));
  Job job;
  job.batch.machine.time_limit_s = limit_s;
  job.program("sleep", "echo slept >> \"$CALLS\"\n");
  job.program(
      "squeue",
      std::string(
          R"([ "$*" = "--noheader --name=scalestudy-demo-0011 --states=COMPLETING" ] || exit 1
)") + (is_stuck ? "echo 1\n" : "grep -q slept \"$CALLS\" 2>/dev/null || echo 1\n"));
  job.program("scalestudy", "echo called >> \"$CALLS\"\n");
  run_program(
      {"sh", "-c", follow_up_script(job.batch, 3, 12)},
      {"PATH=" + job.folder.file("bin") + ":/usr/bin:/bin", "CALLS=" + job.folder.file("calls")});

  std::string waits;
  for (int i = 0; i < (is_stuck ? most_waits : 1); ++i) {
    waits += "slept\n";
  }
  CHECK(read_file(job.folder.path() / "calls") == waits + "called\ncalled\n");
}

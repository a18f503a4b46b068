// Black box: jobs that `submit` prepares, without a batch system.
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy::test;

namespace {

// The number before "node-hours" in what `submit --prepare` says.
double node_hours(const Workspace& workspace) {
  const ProgramResult prepared =
      workspace.run({"submit", workspace.study(), "--prepare", "--blocks-per-job", "2"});
  INFO(prepared.err);
  REQUIRE(prepared.exit_code == 0);
  const std::size_t end = prepared.err.find(" node-hours");
  REQUIRE(end != std::string::npos);
  return std::stod(prepared.err.substr(prepared.err.rfind(' ', end - 1)));
}

// The studies of the store with their state, as `list` tells them.
std::string listed(const Workspace& workspace) {
  std::string rows;
  for (const std::string& line : lines_of(workspace.run({"list", "--format", "csv"}).out)) {
    rows += line.substr(0, line.find(',', line.find(',') + 1)) + "\n";
  }
  return rows;
}

}  // namespace

// A job of two trials on two nodes, of at most 360 s each: 2 * 2 * 0.1 h.
TEST_CASE("a job that is sent again holds its nodes for the trials that it has left", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [program, \"{node_rank}\"]\n"
      "axes: {nodes: [2]}\nparameters: {devices: 2}\ntrials: {count: 2}\n"
      "limits: {timeout: 360s}\n");
  CHECK(node_hours(workspace) == Approx(0.4));

  SQLite::Database(workspace.results() + "/jobs/demo/job1/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET state = 'ok' WHERE id = 1");

  CHECK(node_hours(workspace) == Approx(0.2));
}

TEST_CASE("what the jobs have does not bring back an older text of the study", "[cli]") {
  const Workspace workspace;
  const auto prepare_with = [&](const std::string& change) {
    REQUIRE(workspace.run({"submit", workspace.study(), "--prepare", "--set", change}).exit_code ==
            0);
  };
  prepare_with("title=A title of before");
  prepare_with("title=Title of now");
  REQUIRE(run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                       "--results",
                       workspace.results() + "/jobs/demo/job1",
                       "run",
                       "demo",
                       "--blocks",
                       "1"})
              .exit_code == 0);

  CHECK(workspace.run({"submit", "demo", "--gather", "--dry-run"}).exit_code == 2);
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'") == "0\n");
  REQUIRE(workspace.run({"submit", "demo", "--gather"}).exit_code == 0);

  CHECK_THAT(workspace.run({"list"}).out, Contains("Title of now"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'") == "4\n");
}

TEST_CASE("jobs are not sent where nobody knows which of them wait or run", "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("bin"));
  for (const auto& [name, text] : {std::pair("sbatch", "echo 17"), {"squeue", "exit 1"}}) {
    write_file(workspace.file("bin/") + name, std::string("#!/bin/sh\n") + text + "\n");
    std::filesystem::permissions(workspace.file("bin/") + name, std::filesystem::perms::owner_all);
  }
  const std::vector<std::string> path{"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"};

  const ProgramResult refused = workspace.run({"submit", workspace.study()}, path);

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("squeue does not answer"));
  write_file(workspace.file("bin/squeue"), "#!/bin/sh\n");
  CHECK(workspace.run({"submit", workspace.study()}, path).exit_code == 0);
}

TEST_CASE("running jobs are not sent again where squeue fails at one of its calls", "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("bin"));
  const auto program = [&](const std::string& name, const std::string& text) {
    write_file(workspace.file("bin/") + name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(workspace.file("bin/") + name, std::filesystem::perms::owner_all);
  };
  const std::vector<std::string> path{"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"};
  program("sbatch", "echo sent >> " + workspace.file("sent") + "\necho 17\n");
  program("squeue", "");
  REQUIRE(workspace.run({"submit", workspace.study()}, path).exit_code == 0);
  std::filesystem::remove(workspace.file("sent"));
  const int failing = GENERATE(1, 2, 3);
  std::string all;
  for (int job = 1; job <= 5; ++job) {
    all += "echo '" + std::to_string(job) + "|RUNNING|n1|None'\n";
  }
  const std::string calls = workspace.file("calls");
  program("squeue",
          "echo >> " + calls + "\n[ $(wc -l < " + calls + ") != " + std::to_string(failing) +
              " ] || exit 1\n" + all);

  const ProgramResult again = workspace.run({"submit", workspace.study()}, path);

  INFO(again.err);
  CHECK((again.exit_code == 0 || again.exit_code == 2));
  CHECK_FALSE(std::filesystem::exists(workspace.file("sent")));
}

TEST_CASE("a gathered study is not interrupted while its jobs run or wait", "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("bin"));
  const auto squeue = [&](const std::string& text) {
    write_file(workspace.file("bin/squeue"), "#!/bin/sh\n" + text);
    std::filesystem::permissions(workspace.file("bin/squeue"), std::filesystem::perms::owner_all);
  };
  const std::vector<std::string> path{"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"};
  REQUIRE(workspace.run({"submit", workspace.study(), "--prepare"}).exit_code == 0);
  // As a job that was gathered while it ran leaves its session.
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec(
          "INSERT INTO session(study_id, uid, started_at, ending, host, tool_version, "
          "tool_revision, study_hash, order_seed) SELECT id, 'u', '2026-11-27T10:00:00Z', '', 'h', "
          "'0', 'r', hash, '1' FROM study");
  const auto state = [&] {
    const ProgramResult listed = workspace.run({"list", "--format", "csv"}, path);
    INFO(listed.err);
    const std::string row = listed.out.substr(listed.out.find('\n') + 1);
    return row.substr(0, row.find(',', row.find(',') + 1));
  };

  squeue("echo '1|RUNNING|n1|None'\n");
  CHECK(state() == "demo,running");
  squeue("echo '1|PENDING||Priority'\n");
  CHECK(state() == "demo,waiting");
  squeue("exit 1\n");
  CHECK(state() == "demo,unknown");
  const std::string status = workspace.run({"status"}, path).out;
  CHECK_THAT(status, Contains("  squeue does not answer: unknown jobs may wait or run\n"));
  CHECK_THAT(status, !Contains("send those that are left again"));
  squeue("");
  CHECK_THAT(workspace.run({"status"}, path).out, Contains("; send those that are left again: "));
  CHECK(state() == "demo,interrupted");
}

TEST_CASE("a submitted study is not planned where squeue cannot be asked, a prepared one is",
          "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("bin"));
  const auto program = [&](const std::string& name, const std::string& text) {
    write_file(workspace.file("bin/") + name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(workspace.file("bin/") + name, std::filesystem::perms::owner_all);
  };
  const std::vector<std::string> path{"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"};
  program("sbatch", "echo 17");
  program("squeue", "");
  REQUIRE(workspace.run({"submit", workspace.study(), "--prepare", "--set", "study=later"}, path)
              .exit_code == 0);
  REQUIRE(workspace.run({"submit", workspace.study()}, path).exit_code == 0);
  program("squeue", "exit 1");

  const std::string list = workspace.run({"list", "--format", "csv"}, path).out;

  CHECK_THAT(list, Contains("\ndemo,unknown,") && Contains("\nlater,planned,"));
}

TEST_CASE("list asks the queue of unfinished studies alone, and bears jobs that it cannot read",
          "[cli]") {
  const Workspace workspace;
  const std::string calls = workspace.file("calls");
  std::filesystem::create_directories(workspace.file("bin"));
  write_file(workspace.file("bin/squeue"), "#!/bin/sh\necho >> " + calls + "\n");
  std::filesystem::permissions(workspace.file("bin/squeue"), std::filesystem::perms::owner_all);
  REQUIRE(workspace.run({"submit", workspace.study(), "--prepare"}).exit_code == 0);
  const auto list = [&] {
    std::filesystem::remove(calls);
    return workspace.run({"list", "--format", "csv"},
                         {"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"});
  };
  CHECK_THAT(list().out, Contains("demo,planned,"));
  CHECK(std::filesystem::exists(calls));

  write_file(workspace.results() + "/jobs/demo/job1/results.db", "no database");
  const ProgramResult damaged = list();
  CHECK(damaged.exit_code == 0);
  CHECK_THAT(damaged.out, Contains("demo,planned,"));
  CHECK_THAT(damaged.err, Contains("demo: its jobs cannot be read: ") && Contains("job1"));

  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET state = 'failed'");
  const ProgramResult done = list();
  CHECK_THAT(done.out, Contains("demo,done,"));
  CHECK(done.err.empty());
  CHECK_FALSE(std::filesystem::exists(calls));
}

TEST_CASE("a study that was submitted or imported does not run because another one does", "[cli]") {
  const Workspace workspace(study_text("slow"));
  write_file(workspace.file("logs.yaml"),
             "version: 1\nstudy: logs\nworkload: command\ncommand: [train]\n"
             "extract: [{metric: step_time_s, unit: s, regex: 't=(\\S+)'}]\n"
             "steps: {warmup: 0, measured: rest}\n");
  write_file(workspace.file("run-1.log"), "t=1\nt=2\n");
  REQUIRE(workspace
              .run({"import",
                    "runs",
                    workspace.file("logs.yaml"),
                    "--from",
                    workspace.file("run-{run}.log")})
              .exit_code == 0);
  REQUIRE(
      workspace.run({"submit", workspace.study(), "--prepare", "--set", "study=later"}).exit_code ==
      0);
  CHECK(listed(workspace) == "study,state\nlogs,imported\nlater,planned\n");

  const pid_t pid = start_program(workspace.argv({"run", workspace.study()}),
                                  {},
                                  "/dev/null",
                                  "/dev/null",
                                  workspace.file("err"));
  const std::string all = "study,state\nlogs,imported\nlater,planned\ndemo,running\n";
  for (int tries = 0; tries < 200 && listed(workspace) != all; ++tries) {
    usleep(50'000);
  }
  CHECK(listed(workspace) == all);
  const std::string status = workspace.run({"status"}).out;
  // What no waiting would mend is told at once.
  const std::string submit = "`scalestudy --results " + workspace.results() + " submit later";
  CHECK_THAT(workspace.run({"run", "later"}).err,
             Contains("study later was submitted: its trials are the jobs' to run. " + submit +
                      " --gather` takes in what they have, " + submit + "` sends again"));
  kill(pid, SIGTERM);
  wait_for(pid);
  CHECK_THAT(status, Contains("demo: running since 2") && Contains("later: gathered so far"));
  CHECK_THAT(status, !Contains("since :") && !Contains("logs: running"));
}

TEST_CASE("submit says what the author of a study hardly meant, before jobs wait for it", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [program, \"{gpus}\"]\n"
      "axes: {gpus: [1, 2]}\ntrials: {count: 2}\n");
  const ProgramResult validated = workspace.run({"validate", workspace.study()});
  const ProgramResult submitted = workspace.run({"submit", workspace.study(), "--dry-run"});

  CHECK(submitted.exit_code == 0);
  CHECK_THAT(validated.err, Contains("warning: ") && Contains("gpus"));
  CHECK_THAT(submitted.err, Contains("warning: ") && Contains("gpus"));
}

TEST_CASE("a submitted study with a mistake begins again as its refusal says", "[cli]") {
  const Workspace workspace;
  const auto prepare_with = [&](const std::string& change) {
    return workspace.run({"submit", workspace.study(), "--prepare", "--set", change});
  };
  REQUIRE(prepare_with("title=Before").exit_code == 0);
  const ProgramResult refused = prepare_with("steps.measured=7");
  const std::string jobs = workspace.results() + "/jobs/demo";
  REQUIRE(refused.exit_code == 2);
  REQUIRE_THAT(refused.err,
               Contains("remove " + jobs) &&
                   Contains("then `scalestudy --results " + workspace.results() + " remove demo`"));

  std::filesystem::remove_all(jobs);
  REQUIRE(workspace.run({"remove", "demo", "--yes"}).exit_code == 0);

  CHECK(prepare_with("steps.measured=7").exit_code == 0);
}

TEST_CASE("a dry run refuses what would be refused", "[cli]") {
  const Workspace workspace;
  const auto look = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"submit", workspace.study(), "--dry-run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments);
  };
  const ProgramResult adaptive = look({"--set", "trials={min: 3, max: 9, until: 1%}"});
  CHECK(adaptive.exit_code == 2);
  CHECK(adaptive.out.empty());
  CHECK_THAT(adaptive.err, Contains("stops by what its trials say"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));

  REQUIRE(workspace.run({"submit", workspace.study(), "--prepare"}).exit_code == 0);

  const ProgramResult other = look({"--set", "steps.measured=7"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("is not the one of that name in the store"));
  const ProgramResult larger = look({"--blocks-per-job", "2"});
  CHECK(larger.exit_code == 2);
  CHECK_THAT(larger.err, Contains("was submitted with 1 block(s) a job"));
  CHECK_THAT(look({}).out, Contains("--array=1-5"));
}

TEST_CASE("a submitted study gets more trials by further jobs, beside those that ended", "[cli]") {
  const Workspace workspace;
  const auto submit_with = [&](const std::string& count, const std::string& how) {
    return workspace.run({"submit", workspace.study(), how, "--set", "trials.count=" + count});
  };
  const auto run_job = [&](const std::string& job) {
    const ProgramResult run = run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                                           "--results",
                                           workspace.results() + "/jobs/demo/job" + job,
                                           "run",
                                           "demo",
                                           "--blocks",
                                           job});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    REQUIRE(workspace.run({"submit", "demo", "--gather"}).exit_code == 0);
  };
  REQUIRE(submit_with("1", "--prepare").exit_code == 0);
  run_job("1");

  CHECK_THAT(submit_with("2", "--dry-run").out, Contains("--array=2\n"));
  const ProgramResult more = submit_with("2", "--prepare");
  INFO(more.err);
  REQUIRE(more.exit_code == 0);
  run_job("2");

  CHECK(query_row(workspace, "SELECT block, count(*) FROM trials WHERE state = 'ok' GROUP BY 1") ==
        "0,4\n1,4\n");
  // The job that was made before did not bring the smaller count back.
  CHECK_THAT(submit_with("1", "--dry-run").err,
             Contains("was submitted with trials.count 2, which may only grow. To repeat that: "
                      "scalestudy --results " +
                      workspace.results() + " submit demo\n"));
}

// Black box, as an ordinary user, whom permissions hold up: a trial that takes them away ends
// neither its run nor a later one.
#include "tests/support/ordinary_user.h"

#include <filesystem>
#include <string>

#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;
namespace fs = std::filesystem;

namespace {

// A study "demo" of two trials that run `script` in the folder of their logs.
std::string study_in_logs(const std::string& script, const std::string& more = "") {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [sh, -c, 'cd $(dirname $SCALESTUDY_OUTPUT); echo t=1; " +
         script +
         "']\nsteps: {warmup: 0, measured: rest}\nvalidity: {calibration: none, foreign_load: "
         "100%}\ntrials: {count: "
         "2}\nlimits: {retries: 0}\n"
         "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n" +
         more;
}

ProgramResult run(const Workspace& workspace,
                  const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) {
  const fs::path folder = fs::path(workspace.study()).parent_path();
  scalestudy::test::give_to_ordinary_user(folder);
  std::vector<std::string> all = environment;
  all.push_back("SCALESTUDY_LOCKS=" + workspace.file("locks"));
  return scalestudy::test::run_program(
      scalestudy::test::as_ordinary_user(workspace.argv(arguments)), all);
}

std::string states(const Workspace& workspace) {
  return run(workspace,
             {"query", "SELECT state, count(*) AS n FROM trials GROUP BY state", "--format", "csv"})
      .out;
}

}  // namespace

TEST_CASE("a trial that closes folders or logs is read and counted all the same", "[cli]") {
  for (const char* closes : {"chmod 000 .",
                             "chmod 000 stdout stderr",
                             "chmod 000 ..; chmod 000 .",
                             "chmod 000 ../../.. || exit 9"}) {
    INFO(closes);
    const Workspace workspace(study_in_logs(closes));

    const ProgramResult first = run(workspace, {"run", workspace.study()});

    INFO(first.err);
    CHECK(first.exit_code == 0);
    CHECK(run(workspace, {"run", workspace.study()}).exit_code == 0);
    CHECK(states(workspace) == "state,n\nok,2\n");
  }
}

TEST_CASE("what a closed folder held of an earlier attempt is not read as a later one's", "[cli]") {
  // Killed in its first attempt, when it has a protocol file; it writes none in the second.
  const Workspace workspace(study_in_logs(
      "if [ -e ../../../../killed ]; then exit 0; fi; touch ../../../../killed; "
      "echo lies > protocol.jsonl; mkdir closed; touch closed/file; chmod 000 closed .; "
      "kill -9 $(ps -o ppid= -p $PPID)"));

  CHECK(run(workspace, {"run", workspace.study()}).exit_code == 128 + 9);
  const ProgramResult second = run(workspace, {"run", workspace.study()});

  INFO(second.err);
  CHECK(second.exit_code == 0);
  CHECK(states(workspace) == "state,n\nok,2\n");
}

TEST_CASE("a check runs anew where trials of the last one closed their folders", "[cli]") {
  const Workspace workspace(study_in_logs("mkdir in; touch in/file; chmod 000 in ."));
  CHECK(run(workspace, {"run", workspace.study(), "--check"}).exit_code == 0);

  const ProgramResult again = run(workspace, {"run", workspace.study(), "--profile"});

  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Contains("checked 1 of 1 cell,") && !Contains("Permission denied"));
}

TEST_CASE("a secret is taken out of the logs of a trial that closes them", "[cli]") {
  const Workspace workspace(study_in_logs("echo $TOK; chmod 000 stdout .",
                                          "env: {TOK: hunter2-secret}\nsecret: [TOK]\n"));

  CHECK(run(workspace, {"run", workspace.study()}).exit_code == 0);

  int logs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.results() + "/logs")) {
    if (entry.path().filename() == "stdout") {
      ++logs;
      CHECK(scalestudy::test::read_file(entry.path()) == "t=1\n(secret)\n");
    }
  }
  CHECK(logs == 2);
}

TEST_CASE("prune and remove say by their exit code that files stay", "[cli]") {
  if (geteuid() != 0) {
    WARN("not run: only root can make files that the study's user cannot remove");
    return;
  }
  const Workspace workspace(study_in_logs(":"));
  REQUIRE(run(workspace, {"run", workspace.study(), "--set", "trials.count=1"}).exit_code == 0);
  REQUIRE(run(workspace, {"run", workspace.study()}).exit_code == 0);
  for (const auto& entry : fs::directory_iterator(workspace.results() + "/logs/demo")) {
    fs::create_directories(entry.path() / "of root/in");
  }

  const ProgramResult pruned = run(workspace, {"prune", "demo", "--outputs", "--yes"});
  CHECK(pruned.exit_code == 2);
  CHECK_THAT(pruned.err, Contains("could not be removed whole"));
  const ProgramResult removed = run(workspace, {"remove", "demo", "--yes"});
  CHECK(removed.exit_code == 2);
  CHECK_THAT(removed.err, Contains("could not be removed whole"));
}

TEST_CASE("doctor and plan say what is wrong where a folder is closed", "[cli]") {
  const Workspace workspace(study_in_logs(":"));
  const std::string closed = workspace.file("closed");
  fs::create_directories(closed);
  fs::permissions(closed, fs::perms::none);

  const ProgramResult doctor = scalestudy::test::run_program(scalestudy::test::as_ordinary_user(
      {SCALESTUDY_TEST_BIN "/scalestudy", "--results", closed + "/results", "doctor"}));
  CHECK_THAT(doctor.out, Contains("results folder"));
  fs::permissions(closed, fs::perms::owner_all);
}

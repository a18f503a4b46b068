// Black box: `time`, from a command line to an answer and a study that goes on.
#include <csignal>
#include <filesystem>

#include "harness/cli/start/empty_launch.h"
#include "harness/run/process/lock.h"
#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::query_row;
using scalestudy::test::read_file;
using scalestudy::test::start_program;
using scalestudy::test::wait_for;
using scalestudy::test::wait_until;
using scalestudy::test::Workspace;

namespace {

// The only study file that `time` wrote there.
std::string study_file(const Workspace& workspace) {
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(workspace.results() + "/time")) {
    REQUIRE(path.empty());
    path = entry.path().string();
  }
  return path;
}

}  // namespace

TEST_CASE("time measures two commands and says which is faster, by how much and how to go on",
          "[cli]") {
  const Workspace workspace;

  const ProgramResult timed =
      workspace.run({"time", "-r", "5", "sleep 0.05; echo out", "sleep 0.6"});

  INFO(timed.err);
  CHECK(timed.exit_code == 0);
  CHECK(query_csv(workspace,
                  "SELECT verdict, n, value BETWEEN 0.05 AND 0.5 FROM comparison WHERE quantity = "
                  "'speedup'") == "verdict,n,value BETWEEN 0.05 AND 0.5\nslower,5,1\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM trial WHERE state = 'ok'") == "10\n");
  CHECK_THAT(timed.err,
             Contains(" sleep 0.6  block 5  (") && !Contains("/step") && !Contains("command="));
  CHECK_THAT(timed.err, Contains("include `sh -c`. An empty command takes ") && !Contains("-N "));
  const std::string file = study_file(workspace);
  const std::string name = std::filesystem::path(file).stem().string();
  // One command to go on with, the last word.
  CHECK_THAT(timed.err, Contains("next: scalestudy ") && Contains("report " + name));
  CHECK_THAT(timed.err.substr(timed.err.find("next: ") + 6),
             !Contains("scalestudy run") && !Contains("next: ") && !Contains(file));
  CHECK_THAT(read_file(file), Contains("sleep 0.05; echo out"));

  // What it wrote goes on as any study does.
  const ProgramResult more = workspace.run({"run", name, "--set", "trials.count=7"});
  INFO(more.err);
  CHECK(more.exit_code == 0);
  CHECK_THAT(more.err, !Contains("/step"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trial WHERE state = 'ok'") == "14\n");
  CHECK(workspace.run({"report", file}).exit_code == 0);
}

TEST_CASE("the results folder that time makes is its user's alone", "[cli]") {
  namespace fs = std::filesystem;
  const Workspace workspace;

  REQUIRE(workspace.run({"time", "-r", "1", "true"}).exit_code == 0);

  CHECK(fs::status(workspace.results()).permissions() == fs::perms::owner_all);
}

TEST_CASE("time leaves no study file that it could not write whole", "[cli]") {
  const Workspace workspace;

  const ProgramResult refused =
      scalestudy::test::run_program({"sh",
                                     "-c",
                                     "ulimit -f 0; exec \"$0\" --results \"$1\" time -r 1 true",
                                     SCALESTUDY_TEST_BIN "/scalestudy",
                                     workspace.results()});

  CHECK(refused.exit_code == 2);
  CHECK(std::filesystem::is_empty(workspace.results() + "/time"));
}

TEST_CASE("time answers with the commands, in a table with intervals and verdicts", "[cli]") {
  const Workspace workspace;

  const ProgramResult two = workspace.run({"time", "-r", "5", "sleep 0.05", "sleep 0.6"});
  INFO(two.out);
  CHECK_THAT(two.out,
             Contains("sleep 0.6 against sleep 0.05: slower, 0.") && Contains("sleep 0.05 (ms)") &&
                 Contains("95 % confidence intervals"));

  const Workspace other;
  const ProgramResult one = other.run({"time", "-r", "3", "sleep 0.05"});
  INFO(one.out);
  CHECK_THAT(one.out, Contains("sleep 0.05: ") && !Contains("device") && !Contains("a step"));
}

TEST_CASE("time on a terminal draws a table of the commands anew after each trial", "[cli]") {
  const Workspace workspace;
  std::string command = "TERM=xterm";
  for (const std::string& word : workspace.argv({"time", "-r", "3", "sleep 0.02", "sleep 0.01"})) {
    command += " '" + word + "'";
  }

  const ProgramResult drawn =
      scalestudy::test::run_program({"script", "-qec", command, workspace.file("typescript")});

  INFO(drawn.out);
  CHECK(drawn.exit_code == 0);
  CHECK_THAT(drawn.out,
             Contains("\nsleep 0.01 ") && Contains("x the first") &&
                 Contains("\x1b[3F\x1b[J"));  // up by the lines of the table, which go
}

TEST_CASE("time takes lists as two words or one, and names and preparations", "[cli]") {
  const Workspace workspace;
  const std::string mark = workspace.file("mark");

  const ProgramResult timed = workspace.run({"time",
                                             "-L",
                                             "pause",
                                             "0.01,0.02",
                                             "--parameter-list",
                                             "times=1,2",
                                             "--prepare",
                                             "echo {times} >> " + mark,
                                             "--runs",
                                             "2",
                                             "sleep {pause}; sleep {pause}",
                                             "-n",
                                             "two sleeps of {pause}"});

  INFO(timed.err);
  CHECK(timed.exit_code == 0);
  CHECK(query_csv(workspace, "SELECT label FROM cell ORDER BY id").find("two sleeps of 0.02") !=
        std::string::npos);
  CHECK(query_row(workspace, "SELECT count(*) FROM cell") == "4\n");
  CHECK(read_file(mark).size() == std::string("1\n").size() * 8);
}

TEST_CASE("the progress of time shows commands as they are, with their signs", "[cli]") {
  const Workspace workspace;
  const ProgramResult timed =
      workspace.run({"time", "-r", "1", "sleep 0.01 && X=1 sh -c :", "sleep 0.01"});
  // On a busy machine "ok, foreign load" stands before it.
  CHECK_THAT(timed.err, Contains(" sleep 0.01 && X=1 sh -c :  block 1"));
}

TEST_CASE("time starts commands without a shell when asked", "[cli]") {
  const Workspace workspace;

  const ProgramResult timed =
      workspace.run({"time", "-N", "-r", "2", "test 1 -lt 2", "test '1 > 2' = '1 > 2'"});

  INFO(timed.err);
  CHECK(timed.exit_code == 0);
  CHECK_THAT(timed.err, Contains("These times include `env -S`. An empty command takes "));
  CHECK_THAT(timed.err, !Contains("sh -c"));
  CHECK_THAT(read_file(study_file(workspace)), Contains("command: [env, -S, '{command}']"));
}

TEST_CASE("time says what is wrong with its command line, and writes nothing", "[cli]") {
  const Workspace workspace;
  const ProgramResult none = workspace.run({"time"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("command") && Contains("read `scalestudy time --help`"));
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"time", "-L", "level", "1,9", "gzip"},
                                             {"time", "-L", "level", "1,9", "gzip {level} {levle}"},
                                             {"time", "a", "a"},
                                             {"time", "-r", "0", "a"}}) {
    CAPTURE(arguments);
    CHECK(workspace.run(arguments).exit_code == 2);
  }
  CHECK_THAT(workspace.run({"time", "-L", "n", "1,2", "seq {n} | awk '{print}'"}).err,
             Contains("{print} has no values") && Contains("write a space: { print }"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("time whose results folder another run holds leaves no study behind", "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.results());
  const scalestudy::RunLock lock(workspace.results());

  const ProgramResult timed = workspace.run({"time", "true"});

  CHECK(timed.exit_code == 75);
  CHECK_FALSE(std::filesystem::exists(workspace.results() + "/time"));
}

TEST_CASE("a command of time that fails shows how, and no answer", "[cli]") {
  const Workspace workspace;

  const ProgramResult timed = workspace.run({"time", "true", "echo no such file >&2; exit 1"});

  CHECK(timed.exit_code == 3);
  CHECK_THAT(timed.err, Contains("exit code 1: no such file"));
}

TEST_CASE("time that is interrupted says how to go on", "[cli]") {
  const Workspace workspace;
  const std::string begun = workspace.file("begun");
  const std::string err = workspace.file("err");
  const pid_t pid = start_program(workspace.argv({"time", "touch " + begun + "; sleep 30"}),
                                  {},
                                  "/dev/null",
                                  workspace.file("out"),
                                  err);
  REQUIRE(wait_until([&] { return std::filesystem::exists(begun); }, 20.0));

  kill(pid, SIGINT);

  CHECK(wait_for(pid) == 130);
  CHECK_THAT(read_file(err), Contains("run " + study_file(workspace) + "` continues from here"));
}

TEST_CASE("a start that varies by more than a fiftieth of the shortest command is warned of",
          "[cli]") {
  const scalestudy::EmptyLaunch empty{.mean_s = 0.0012, .sd_s = 0.0003};

  CHECK(scalestudy::short_command_warning(empty, 0.015).empty());
  CHECK_THAT(scalestudy::short_command_warning(empty, 0.003),
             Contains("takes only 3 ms") && Contains("10 %"));
}

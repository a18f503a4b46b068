// Black box: a run that is stopped or killed shows no secret, and hears ^C whatever hangs.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::read_file;
using scalestudy::test::wait_until;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSecret = "hunter2-secret-value";

// A study of one trial that prints t=1; `more` adds keys.
std::string study_of_one_trial(const std::string& command, const std::string& more = "") {
  return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'echo t=1; " + command +
         "']\nsteps: {warmup: 0, measured: rest}\nvalidity: {calibration: none, foreign_load: "
         "100%}\ntrials: {count: "
         "1}\nlimits: {retries: 0}\n"
         "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n" +
         more;
}

const std::string kDeclared = std::string("env: {TOK: ") + kSecret + "}\nsecret: [TOK]\n";

// Starts the study, and sends `signal` once a file named "begun" is there.
class Stopped {
 public:
  Stopped(const Workspace& workspace,
          int signal,
          const std::vector<std::string>& environment = {}) {
    const pid_t pid = scalestudy::test::start_program(workspace.argv({"run", workspace.study()}),
                                                      environment,
                                                      "/dev/null",
                                                      workspace.file("out"),
                                                      workspace.file("err"));
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): the start comes first
    has_begun = wait_until([&] { return fs::exists(workspace.file("begun")); }, 20.0);
    kill(pid, signal);
    exit_code = scalestudy::test::wait_for(pid);
    err = read_file(workspace.file("err"));
  }

  bool has_begun = false;
  int exit_code = -1;
  std::string err;
};

std::string touch(const Workspace& workspace) {
  return "touch " + workspace.file("begun");
}

// What a run says, which first waits for the supervisor of a killed run to end its trial.
std::string told_by(const Workspace& workspace,
                    const std::vector<std::string>& arguments,
                    const std::string& variable) {
  std::string told;
  REQUIRE(wait_until(
      [&] {
        const auto run = workspace.run(arguments, {variable});
        told = run.err;
        return run.exit_code == 0;
      },
      20.0));
  return told;
}

// How many files below `folder` hold the secret.
int shown(const std::string& folder) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && read_file(entry.path()).find(kSecret) != std::string::npos) {
      ++files;
      CHECK(entry.status().permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    }
  }
  return files;
}

}  // namespace

TEST_CASE("whatever of a study is stopped, its logs keep no secret", "[cli][slow]") {
  const Workspace workspace;
  const std::string hangs = "echo $TOK; echo $TOK >&2; " + touch(workspace) + "; exec sleep 60";
  const std::string hung = "[sh, -c, '" + hangs + "']\n";
  const std::string node = "echo $TOK > ${SCALESTUDY_OUTPUT%/*}/stdout.node1; ";
  for (const std::string& text : {study_of_one_trial(node + hangs, kDeclared),
                                  study_of_one_trial("", kDeclared + "setup: " + hung),
                                  study_of_one_trial("echo $TOK", kDeclared + "cleanup: " + hung),
                                  study_of_one_trial("", kDeclared + "build: " + hung)}) {
    INFO(text);
    fs::remove_all(workspace.results());
    fs::remove(workspace.file("begun"));
    write_file(workspace.study(), text);

    const Stopped run(workspace, SIGINT);

    CHECK(run.has_begun);
    CHECK(run.exit_code == 130);
    CHECK(shown(workspace.results() + "/logs") == 0);
  }
}

TEST_CASE("what a killed run left in logs is its user's alone, and masked by the next run",
          "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             study_of_one_trial("echo $TOK; " + touch(workspace) + "; exec sleep 60", kDeclared));

  CHECK(Stopped(workspace, SIGKILL).exit_code == 128 + SIGKILL);
  CHECK(shown(workspace.results() + "/logs") == 1);

  std::string other = study_of_one_trial("");
  other.replace(other.find("demo"), 4, "next");
  write_file(workspace.file("other.yaml"), other);
  // The supervisor of the killed run ends its trial first.
  REQUIRE(wait_until(
      [&] {
        return workspace.run({"run", workspace.file("other.yaml")}).exit_code == 0;
      },
      20.0));
  CHECK(shown(workspace.results() + "/logs") == 0);
}

TEST_CASE("a trial that was stopped or killed leaves no secret in its own folder", "[cli]") {
  for (const int signal : {SIGINT, SIGKILL}) {
    CAPTURE(signal);
    const Workspace workspace;
    write_file(workspace.study(),
               study_of_one_trial("umask 077; mkdir {trial_folder}/sub; echo $TOK > "
                                  "{trial_folder}/result.json; echo $TOK > {trial_folder}/sub/x; " +
                                      touch(workspace) + "; exec sleep 60",
                                  kDeclared));
    std::string other = study_of_one_trial("");
    other.replace(other.find("demo"), 4, "next");
    write_file(workspace.file("other.yaml"), other);

    CHECK(Stopped(workspace, signal).has_begun);
    told_by(workspace, {"run", workspace.file("other.yaml")}, "TOK=");

    CHECK(shown(workspace.results() + "/logs") == 0);
  }
}

TEST_CASE("a trial whose run was killed has one name, and its output can be read", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             study_of_one_trial("echo step >&2; " + touch(workspace) + "; exec sleep 60"));
  CHECK(Stopped(workspace, SIGKILL).exit_code == 128 + SIGKILL);

  const auto logs = workspace.run({"logs", "1"});
  CHECK(logs.exit_code == 0);
  CHECK_THAT(logs.out, Contains("/stdout <==\nt=1\n") && Contains("/stderr <==\nstep\n"));
  CHECK(workspace.run({"logs", "1", "--stream", "stdout"}).out == "t=1\n");
  CHECK(workspace.run({"logs", "1", "--stream", "protocol"}).exit_code == 2);
  CHECK_THAT(workspace.run({"show", "1", "--format", "csv"}).out,
             Contains("\ntrials,1,state,interrupted\n"));
  const auto check = workspace.run({"report", "demo", "--check"});
  CHECK(check.exit_code == 4);
  CHECK_THAT(check.err,
             Contains("the store has no results of these trials, as after a run that was killed") &&
                 !Contains("another version of the analysis"));
  REQUIRE(workspace.run({"report", "demo", "--full"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/report.md"),
             Contains("running or interrupted"));
}

TEST_CASE("the output of a killed trial is shown only if its secrets can be masked", "[cli]") {
  const Workspace workspace;
  const std::string set = std::string("TOK=") + kSecret;
  write_file(
      workspace.study(),
      study_of_one_trial("echo $TOK; " + touch(workspace) + "; exec sleep 60", "secret: [TOK]\n"));
  CHECK(Stopped(workspace, SIGKILL, {set}).exit_code == 128 + SIGKILL);

  for (const char* other : {"TOK=", "TOK=another-value-of-now"}) {
    const auto refused = workspace.run({"logs", "1"}, {other});
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK_THAT(refused.err,
               Contains("the output of trial 1 is not masked yet; set TOK to the value of its run, "
                        "or read the file " +
                        workspace.results() + "/logs/demo/") &&
                   Contains("/stdout"));
  }
  const auto masked = workspace.run({"logs", "1", "--stream", "stdout"}, {set});
  CHECK(masked.exit_code == 0);
  CHECK(masked.out == "t=1\n(secret)\n");

  std::string other = study_of_one_trial("");
  other.replace(other.find("demo"), 4, "next");
  write_file(workspace.file("other.yaml"), other);
  const std::vector<std::string> run_other{"run", workspace.file("other.yaml")};
  CHECK_THAT(told_by(workspace, run_other, "TOK=another-value-of-now"),
             Contains("warning: " + workspace.results() + "/logs/demo/") &&
                 Contains(": a killed run left logs there, and TOK had another value in it; read "
                          "or remove them: they are lost when their trial runs again, perhaps in "
                          "this run"));
  CHECK(shown(workspace.results() + "/logs") == 1);
  CHECK_THAT(told_by(workspace, run_other, set), !Contains("a killed run left logs"));
  CHECK(shown(workspace.results() + "/logs") == 0);
  CHECK(workspace.run({"logs", "1", "--stream", "stdout"}).out == "t=1\n(secret)\n");
}

TEST_CASE("what a killed run left stays marked while other trials of its study run", "[cli]") {
  const Workspace workspace;
  const std::string set = std::string("TOK=") + kSecret;
  std::string text = study_of_one_trial("echo $TOK; " + touch(workspace) + "; if [ -e " +
                                            workspace.file("hold") + " ]; then exec sleep 60; fi",
                                        "secret: [TOK]\n");
  text.replace(text.find("count: 1"), 8, "count: 2");
  write_file(workspace.study(), text);
  write_file(workspace.file("hold"), "");
  CHECK(Stopped(workspace, SIGKILL, {set}).exit_code == 128 + SIGKILL);
  fs::remove(workspace.file("hold"));
  const std::vector<std::string> run_second{"run", workspace.study(), "--blocks", "2"};

  for (int run = 0; run < 2; ++run) {
    CHECK_THAT(told_by(workspace, run_second, "TOK=another-value-of-now"),
               Contains("TOK had another value in it"));
    CHECK(shown(workspace.results() + "/logs") == 1);
    const auto refused = workspace.run({"logs", "1"}, {"TOK=another-value-of-now"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
  }
  CHECK_THAT(told_by(workspace, run_second, set), !Contains("a killed run left logs"));
  CHECK(shown(workspace.results() + "/logs") == 0);
  CHECK(workspace.run({"logs", "1", "--stream", "stdout"}).out == "t=1\n(secret)\n");
}

TEST_CASE("what a killed run left is warned of until it is removed", "[cli]") {
  const Workspace workspace;
  write_file(
      workspace.study(),
      study_of_one_trial("echo $TOK; " + touch(workspace) + "; exec sleep 60", "secret: [TOK]\n"));
  CHECK(Stopped(workspace, SIGKILL, {std::string("TOK=") + kSecret}).exit_code == 128 + SIGKILL);
  std::string other = study_of_one_trial("");
  other.replace(other.find("demo"), 4, "next");
  write_file(workspace.file("other.yaml"), other);
  const std::vector<std::string> run_other{"run", workspace.file("other.yaml")};
  CHECK_THAT(told_by(workspace, run_other, "TOK="), Contains("a killed run left logs there"));

  const fs::path logs = workspace.results() + "/logs/demo";
  std::string name;
  for (const auto& entry : fs::directory_iterator(logs)) {
    name = entry.is_directory() ? entry.path().filename().string() : name;
  }
  CHECK(fs::exists(logs / ("unmasked-" + name)));
  fs::remove_all(logs / name);

  CHECK_THAT(told_by(workspace, run_other, "TOK="), !Contains("a killed run left logs"));
  CHECK_FALSE(fs::exists(logs / ("unmasked-" + name)));
}

TEST_CASE("the mark of an earlier version names the folder in which logs are masked", "[cli]") {
  const Workspace workspace(study_of_one_trial("", kDeclared));
  const fs::path logs = workspace.results() + "/logs/demo";
  fs::create_directories(logs / "c0ffee00-b0-a1");
  write_file(logs / "c0ffee00-b0-a1/stdout", std::string(kSecret) + "\n");
  write_file(logs / "unmasked", "c0ffee00-b0-a1");

  CHECK(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK(read_file(logs / "c0ffee00-b0-a1/stdout") == "(secret)\n");
  CHECK_FALSE(fs::exists(logs / "unmasked"));
}

TEST_CASE("logs are left as they are once no study names the secret that they may hold", "[cli]") {
  const Workspace workspace(study_of_one_trial(""));
  const fs::path logs = workspace.results() + "/logs/demo";
  fs::create_directories(logs / "c0ffee00-b0-a1");
  write_file(logs / "c0ffee00-b0-a1/stdout", std::string(kSecret) + "\n");
  write_file(logs / "unmasked", "c0ffee00-b0-a1");

  const auto run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err,
             Contains("warning: " + (logs / "c0ffee00-b0-a1").string() +
                      ": a killed run left logs there, and no study names their secret now; "));
  CHECK(read_file(logs / "c0ffee00-b0-a1/stdout") == std::string(kSecret) + "\n");
  CHECK(fs::exists(logs / "unmasked"));
}

TEST_CASE("what on_finish prints is bounded and shows no secret", "[cli]") {
  const Workspace workspace(study_of_one_trial(
      "",
      kDeclared + "on_finish: [sh, -c, 'echo " + kSecret + "; head -c 100000000 /dev/zero']\n"));

  const auto run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  const std::string folder = workspace.results() + "/logs/demo/on_finish";
  CHECK(fs::file_size(folder + "/stdout") < (std::size_t{17} << 20U));
  CHECK(shown(folder) == 0);
}

TEST_CASE("a store that a killed run left without tables is as good as none", "[cli]") {
  const Workspace workspace(study_of_one_trial(""));
  fs::create_directories(workspace.results());
  write_file(workspace.results() + "/results.db", "");

  for (const char* verb : {"validate", "plan", "run"}) {
    CAPTURE(verb);
    const auto result = workspace.run({verb, workspace.study()});
    CHECK(result.exit_code == 0);
  }
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
}

TEST_CASE("an on_finish that is ended with the process above it ends no run", "[cli]") {
  const Workspace workspace(
      study_of_one_trial("", "on_finish: [sh, -c, 'kill -KILL $PPID; sleep 60']\n"));

  const auto run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("on_finish: sh was ended by another process"));
}

TEST_CASE("^C is heard while something beside the trials hangs", "[cli]") {
  const Workspace workspace;
  const std::string hung = "[sh, -c, '" + touch(workspace) + "; exec sleep 60']";
  for (const std::string& more :
       {"versions: {slow: " + hung + "}\n", "on_finish: " + hung + "\n"}) {
    INFO(more);
    fs::remove(workspace.file("begun"));
    write_file(workspace.study(), study_of_one_trial("", more));

    const Stopped run(workspace, SIGINT);

    INFO(run.err);
    CHECK(run.has_begun);
    CHECK(run.exit_code == 130);
  }
}

TEST_CASE("^C is heard while a program of the machine hangs", "[cli]") {
  for (const char* name : {"git", "mpirun"}) {
    INFO(name);
    const Workspace workspace(study_of_one_trial(""));
    fs::create_directories(workspace.file("bin"));
    const std::string program = workspace.file("bin") + "/" + name;
    write_file(
        program,
        "#!/bin/sh\necho $$ >" + workspace.file("id") + "\n" + touch(workspace) + "\nsleep 60\n");
    fs::permissions(program, fs::perms::owner_all);

    const Stopped run(workspace, SIGINT, {"PATH=" + workspace.file("bin") + ":/usr/bin:/bin"});

    INFO(run.err);
    CHECK(run.has_begun);
    CHECK(run.exit_code == 130);
    CHECK_FALSE(fs::exists("/proc/" + std::to_string(std::stoi(read_file(workspace.file("id"))))));
  }
}

TEST_CASE("a damaged record of a trial that ended goes with a word", "[cli]") {
  const Workspace workspace(study_of_one_trial("true"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string record = workspace.results() + "/unstored.json";
  write_file(record, "{\"x\":");

  CHECK_THAT(
      workspace.run({"run", workspace.study()}).err,
      Contains("removed unstored.json: it held no whole trial that the store still lacks\n"));
  CHECK_FALSE(fs::exists(record));

  REQUIRE(mkfifo(record.c_str(), 0600) == 0);  // not opened, so left
  const auto run = workspace.run({"run", workspace.study()});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, !Contains("unstored.json"));
  CHECK(fs::exists(record));
}

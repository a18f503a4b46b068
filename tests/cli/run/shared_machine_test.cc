// Black box: runs with different results folders on one machine.
#include <csignal>

#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::start_program;
using scalestudy::test::wait_for;
using scalestudy::test::wait_until;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// A trial that lasts until the file "go" is there, 20 s at most.
std::string waiting_study(const Workspace& workspace) {
  return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'touch \"$0\"; i=0; while "
         "! "
         "test -e \"$1\" && test $i -lt 200; do sleep 0.1; i=$((i + 1)); done', " +
         workspace.file("begun") + ", " + workspace.file("go") +
         "]\nextract: [{metric: step_time_s, from: wall_time}]\n"
         "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none, foreign_load: "
         "100%}\ntrials: {count: "
         "1}\nlimits: {retries: 0}\n";
}

// A run that has begun its trial.
class Running {
 public:
  Running(const Workspace& workspace,
          const std::string& locks,
          const std::vector<std::string>& before = {},
          const std::vector<std::string>& behind = {})
      : workspace_(workspace) {
    write_file(workspace.study(), waiting_study(workspace));
    std::vector<std::string> argv = before;
    for (const std::string& word : workspace.argv({"run", workspace.study()})) {
      argv.push_back(word);
    }
    argv.insert(argv.end(), behind.begin(), behind.end());
    pid_ = start_program(
        argv, {"SCALESTUDY_LOCKS=" + locks}, "/dev/null", workspace.file("out"), err());
  }
  bool has_begun() const {
    return wait_until([&] { return std::filesystem::exists(workspace_.file("begun")); }, 15.0);
  }
  int end() const {
    write_file(workspace_.file("go"), "");
    return wait_for(pid_);
  }
  std::string err() const { return workspace_.file("err"); }
  std::string told() const { return scalestudy::test::read_file(err()); }
  pid_t pid() const { return pid_; }

 private:
  const Workspace& workspace_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("a run waits for one in another folder that measures on its CPUs", "[cli]") {
  const Workspace first("");
  const Workspace second("");
  const std::string locks = first.file("locks");
  const Running holder(first, locks);
  REQUIRE(holder.has_begun());

  write_file(second.study(), waiting_study(second));
  const ProgramResult refused =
      second.run({"run", second.study(), "--no-wait"}, {"SCALESTUDY_LOCKS=" + locks});
  CHECK(refused.exit_code == 75);
  CHECK_THAT(refused.err,
             Contains("another run measures on this machine: cpu-") &&
                 Contains("pid " + std::to_string(holder.pid()) + " of user ") &&
                 Contains("study demo"));

  const Running waiting(second, locks);
  REQUIRE(wait_until(
      [&] { return waiting.told().find("waiting until it is done") != std::string::npos; }, 15.0));
  CHECK_FALSE(std::filesystem::exists(second.file("begun")));
  CHECK_THAT(second.run({"status"}).out,
             Contains("demo: waiting for the machine (another run measures); nothing has run yet"));
  CHECK_THAT(second.run({"list", "--format", "csv"}).out, Contains("\ndemo,waiting,,,,,,"));
  CHECK(second.run({"status", "nonsense"}).exit_code != 0);

  SECTION("it goes on when that one is done") {
    CHECK(holder.end() == 0);
    CHECK(waiting.has_begun());
    CHECK(waiting.end() == 0);
  }
  SECTION("it goes on when that one is killed") {
    kill(holder.pid(), SIGKILL);
    holder.end();
    CHECK(waiting.has_begun());
    CHECK(waiting.end() == 0);
  }
  SECTION("it stops when it is asked to") {
    kill(waiting.pid(), SIGINT);
    CHECK(waiting.end() == 130);
    CHECK(holder.end() == 0);
  }
}

TEST_CASE("a run that waits is told beside the studies that its folder has", "[cli]") {
  const Workspace second;
  REQUIRE(
      second.run({"run", second.study(), "--max-trials", "1", "--set", "study=other"}).exit_code ==
      0);
  const Workspace first("");
  const std::string locks = first.file("locks");
  const Running holder(first, locks);
  REQUIRE(holder.has_begun());
  const Running waiting(second, locks);
  REQUIRE(wait_until(
      [&] { return waiting.told().find("waiting until it is done") != std::string::npos; }, 15.0));
  const std::string line = "demo: waiting for the machine (another run measures)";

  const std::string list = second.run({"list", "--format", "csv"}).out;
  CHECK_THAT(list, Contains("\nother,stopped,1,0,19,") && Contains("\ndemo,waiting,,,,,,"));
  CHECK_THAT(
      second.run({"status"}).out,
      Contains("other: ") && Contains(", 19 left") && Contains(line + "; nothing has run yet"));
  CHECK_THAT(second.run({"status", second.study()}).out,
             !Contains("other: ") && Contains(line + "; nothing has run yet"));
  CHECK_THAT(second.run({"status", "other"}).out, Contains("other: ") && !Contains("demo: "));
  CHECK_THAT(second.run({"status", "nonsense"}).err, Contains("no study is named nonsense"));

  const std::string followed = second.file("followed");
  const pid_t follower = start_program(
      second.argv({"status", "demo", "--follow"}), {}, "/dev/null", followed, followed + ".err");
  const auto has_told = [&] {
    return scalestudy::test::read_file(followed).find(line) != std::string::npos;
  };
  CHECK(wait_until(has_told, 15.0));
  CHECK(holder.end() == 0);
  CHECK(waiting.has_begun());
  CHECK(waiting.end() == 0);
  CHECK(wait_for(follower) == 0);
  CHECK_THAT(scalestudy::test::read_file(followed), Contains("demo   ok "));
}

TEST_CASE("whoever follows a run that goes on sees it wait, and run to its end", "[cli]") {
  const Workspace second;
  write_file(second.study(), waiting_study(second));
  write_file(second.file("go"), "");
  REQUIRE(second.run({"run", second.study()}).exit_code == 0);
  for (const char* name : {"begun", "go"}) {
    std::filesystem::remove(second.file(name));
  }
  const Workspace first("");
  const std::string locks = first.file("locks");
  const Running holder(first, locks);
  REQUIRE(holder.has_begun());
  const Running waiting(second, locks, {}, {"--set", "trials.count=2"});
  REQUIRE(wait_until(
      [&] { return waiting.told().find("waiting until it is done") != std::string::npos; }, 15.0));

  const std::string followed = second.file("followed");
  const pid_t follower = start_program(
      second.argv({"status", "demo", "--follow"}), {}, "/dev/null", followed, followed + ".err");
  const auto has_told = [&] {
    return scalestudy::test::read_file(followed).find(
               "demo: waiting for the machine (another run measures)\n") != std::string::npos;
  };
  CHECK(wait_until(has_told, 15.0));
  CHECK(holder.end() == 0);
  CHECK(waiting.has_begun());
  CHECK(waiting.end() == 0);
  CHECK(wait_for(follower) == 0);
  CHECK_THAT(scalestudy::test::read_file(followed), Contains("demo   ok          2\n"));
}

TEST_CASE("a changed study is refused before the run waits for another", "[cli]") {
  const Workspace second;
  REQUIRE(second.run({"run", second.study(), "--max-trials", "1"}).exit_code == 0);
  const Workspace first("");
  const std::string locks = first.file("locks");
  const Running holder(first, locks);
  REQUIRE(holder.has_begun());
  const auto run = [&](const std::string& change) {
    return second.run({"run", second.study(), "--no-wait", "--set", change},
                      {"SCALESTUDY_LOCKS=" + locks});
  };

  const ProgramResult refused = run("steps.warmup=3");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Contains("study demo has changed") && Contains("steps.warmup: 2 -> 3") &&
                 !Contains("another run measures"));
  CHECK(run("trials=7").exit_code == 75);  // more trials are no change
  CHECK(holder.end() == 0);
}

TEST_CASE("a missing workload program is told before the run waits for another", "[cli]") {
  const Workspace second("");
  REQUIRE(second.run({"init", second.study(), "--kind", "train", "--force"}).exit_code == 0);
  const Workspace first("");
  const std::string locks = first.file("locks");
  const Running holder(first, locks);
  REQUIRE(holder.has_begun());

  const ProgramResult refused =
      second.run({"run", second.study(), "--no-wait"},
                 {"SCALESTUDY_LOCKS=" + locks, "SCALESTUDY_WORKLOADS=/nowhere"});

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Contains("scalestudy-train not found") && !Contains("another run measures"));
  CHECK(holder.end() == 0);
}

TEST_CASE("runs on different CPUs go on side by side", "[cli]") {
  if (scalestudy::test::run_program({"taskset", "-c", "0,1", "true"}).exit_code != 0) {
    WARN("needs CPUs 0 and 1, and taskset");
    return;
  }
  const Workspace first("");
  const Workspace second("");
  const std::string locks = first.file("locks");
  const Running one(first, locks, {"taskset", "-c", "0"});
  const Running two(second, locks, {"taskset", "-c", "1"});

  CHECK(one.has_begun());
  CHECK(two.has_begun());
  CHECK(one.end() == 0);
  CHECK(two.end() == 0);
}

TEST_CASE("where no lock can be taken a run says so and goes on", "[cli]") {
  const Workspace workspace;
  write_file(workspace.file("no folder"), "");
  const ProgramResult run =
      workspace.run({"run", workspace.study(), "--max-trials", "1"},
                    {"SCALESTUDY_LOCKS=" + workspace.file("no folder/below")});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("cannot wait for each other"));
}

// Failures of a run that keeps checkpoints: what is lost, what is told, and that it ends as if
// there had been none.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/support/catch.h"
#include "tests/workloads/saved_run.h"

using namespace scalestudy;
using Catch::Contains;
using test::events_of;
using test::losses_of;
using test::Trial;
using test::values_of;

namespace {

const std::string kRun =
    R"("model": "lstm-332k", "model.width": 16, "model.sequence": 4, "batch_global": 8, )"
    R"("warmup_steps": 2)";

// Under the supervisor, which makes a folder in `folder` and leaves nothing.
//   launcher  what starts mpirun, if anything
Trial run_supervised(int ranks,
                     const std::filesystem::path& folder,
                     const std::string& more,
                     const std::vector<std::string>& launcher = {}) {
  const test::TemporaryFolder files;
  const std::string output = files.file("trial.jsonl");
  std::vector<std::string> argv = {test::train_program(), "--supervise", folder.string()};
  argv.insert(argv.end(), launcher.begin(), launcher.end());
  const std::vector<std::string> command = test::mpirun_command(ranks, {test::train_program()});
  argv.insert(argv.end(), command.begin(), command.end());
  Trial trial;
  trial.result =
      test::run_program(argv,
                        test::mpirun_environment({"SCALESTUDY_PARAMETERS={" + kRun + more + "}",
                                                  "SCALESTUDY_OUTPUT=" + output}));
  trial.record = protocol::read_record(output);
  CHECK(std::filesystem::is_empty(folder));
  return trial;
}

// The same run without a failure, made once for all failures that are compared with it.
const Trial& undisturbed_run(int ranks,
                             const std::filesystem::path& folder,
                             const std::string& more) {
  static std::map<std::pair<int, std::string>, Trial> runs;
  const auto found = runs.find({ranks, more});
  return found != runs.end()
             ? found->second
             : runs.emplace(std::pair(ranks, more), run_supervised(ranks, folder, more))
                   .first->second;
}

double one_of(const Trial& trial, const std::string& metric) {
  const auto series = events_of<protocol::Samples>(trial.record);
  const std::vector<double>& values = values_of(series, metric);
  REQUIRE(values.size() == 1);
  return values[0];
}

}  // namespace

// Saved every 4 steps, so that 13 - 12 are lost, of 12 none, and none of a save with notice.
TEST_CASE("a run recovers from every failure and loses the steps since it saved", "[train][slow]") {
  struct Case {
    std::string failure;
    int step;
    double lost;
    std::string strategy = "zero1";
    int ranks = 2;
    int rank = 1;
  };
  const Case failed = GENERATE(Case{"kill_rank", 13, 1.0},
                               Case{"kill_rank", 13, 1.0, "pipeline"},
                               Case{"sigterm", 13, 0.0, "pipeline"},
                               Case{"enospc", 12, 4.0, "pipeline"},
                               Case{"kill_rank", 3, 3.0},
                               Case{"kill_node", 15, 3.0},
                               Case{"sigterm", 13, 0.0},
                               Case{"enospc", 12, 4.0},
                               Case{"eio", 12, 4.0},
                               // of two nodes of two ranks one stays
                               Case{"kill_node", 15, 3.0, "zero2", 4, 2},
                               Case{"kill_rank", 13, 1.0, "ddp", 4, 3},
                               Case{"sigterm", 13, 0.0, "fsdp", 4},
                               Case{"eio", 12, 4.0, "zero2", 4});
  CAPTURE(failed.failure, failed.step, failed.strategy, failed.ranks);
  const test::TemporaryFolder folder;
  const std::string steps =
      R"(, "measured_steps": 16, "save_every": 4, "strategy": ")" + failed.strategy + "\"";
  const std::string nodes = failed.ranks == 4 ? R"(, "virtual_node_ranks": 2)" : "";
  const Trial& undisturbed = undisturbed_run(failed.ranks, folder.path(), steps);
  const auto begun = std::chrono::steady_clock::now();
  const Trial trial = run_supervised(
      failed.ranks,
      folder.path(),
      steps + nodes + R"(, "failure_rank": )" + std::to_string(failed.rank) + R"(, "failure": ")" +
          failed.failure + R"(", "failure_step": )" + std::to_string(failed.step));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;

  REQUIRE(undisturbed.result.exit_code == 0);
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  CHECK(losses_of(trial) == losses_of(undisturbed));
  CHECK(one_of(trial, "lost_steps") == failed.lost);
  const double detection_s = one_of(trial, "failure_detection_time_s");
  CHECK(detection_s > 0.0);
  CHECK(one_of(trial, "downtime_s") == Approx(detection_s + one_of(trial, "recovery_time_s")));
  CHECK(one_of(trial, "downtime_s") < took.count());
  const double load_s = failed.step < 4 ? 0.0 : one_of(trial, "checkpoint_load_time_s");
  CHECK(one_of(trial, "recovery_time_s") > load_s);
  const auto series = events_of<protocol::Samples>(trial.record);
  CHECK(values_of(series, "step_time_s").size() == 18);
  CHECK(test::find_series(events_of<protocol::Samples>(undisturbed.record), "recovery_time_s") ==
        nullptr);
}

// The launcher ends a second after its ranks, and takes two to start again. What else passes, it
// times itself: the second run, which has the first step behind the failure.
TEST_CASE("times of a failure are as long as its launcher takes to end and to start", "[train]") {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder files;
  const std::string times = files.file("times");
  const Trial trial = run_supervised(
      2,
      folder.path(),
      R"(, "measured_steps": 16, "save_every": 4, "failure": "kill_rank", "failure_step": 13)",
      {"sh",
       "-c",
       "if [ -e $0 ]; then sleep 2; date +%s.%N >>$0; exec \"$@\"; fi; "
       "\"$@\"; status=$?; date +%s.%N >$0; sleep 1; exit $status",
       times});
  const std::chrono::duration<double> ended = std::chrono::system_clock::now().time_since_epoch();
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  std::istringstream text(test::read_file(times));
  double first_ended_s = 0.0;
  double second_begun_s = 0.0;
  REQUIRE(text >> first_ended_s >> second_begun_s);
  // Of what lies between the clock's two readings all but the two sleeps.
  const double slack_s = second_begun_s - first_ended_s - 3.0;

  REQUIRE(slack_s >= 0.0);
  CHECK(one_of(trial, "failure_detection_time_s") >= 1.0);
  CHECK(one_of(trial, "recovery_time_s") >= 2.0);
  CHECK(one_of(trial, "recovery_time_s") <= 2.0 + slack_s + ended.count() - second_begun_s);
  CHECK(one_of(trial, "downtime_s") >= 3.0);
}

TEST_CASE("without checkpoints a failure loses all steps", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial = run_supervised(
      1, folder.path(), R"(, "measured_steps": 8, "failure": "kill_rank", "failure_step": 6)");

  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  CHECK(one_of(trial, "lost_steps") == 6.0);
  CHECK(losses_of(trial) ==
        losses_of(test::run_trial(1, "{" + kRun + R"(, "measured_steps": 8})")));
}

// Not even as root: no other network loses its link.
TEST_CASE("no link is taken down that was not made for the run", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial = run_supervised(
      2, folder.path(), R"(, "measured_steps": 8, "failure": "link_down", "failure_step": 6)");

  CHECK(trial.result.exit_code == 77);
  CHECK_THAT(trial.result.err, Contains("this rank has none; give interconnect.bandwidth"));
}

// As by hand: without the supervisor, in one folder.
TEST_CASE("a failure that was does not disarm the next one in its folder", "[train]") {
  const test::TemporaryFolder folder;
  const auto run = [&](int step) {
    return test::run_trial(
        1,
        test::in_folder(folder.path(),
                        kRun + R"(, "measured_steps": 16, "save_every": 4, )" +
                            R"("failure": "kill_rank", "failure_step": )" + std::to_string(step)));
  };

  CHECK(run(6).result.exit_code != 0);
  CHECK(run(13).result.exit_code != 0);
  CHECK(std::filesystem::exists(folder.path() / "step_12"));
  CHECK(run(13).result.exit_code == 0);
}

// 1 ms, while a save takes longer than that on any disk that syncs; on one that does not it may
// have saved.
TEST_CASE("a notice that is too short ends ranks all the same, and they recover", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial = run_supervised(
      2,
      folder.path(),
      R"(, "measured_steps": 16, "save_every": 4, "failure": "sigterm", "failure_step": 14, )"
      R"("notice_s": 0.000001)");

  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  const double lost = one_of(trial, "lost_steps");
  CHECK((lost == 2.0 || lost == 0.0));
}

// OpenMP binds the supervisor to its first place; nodes of emulated links share out what is left.
TEST_CASE("a supervised command has all cores that its supervisor was given", "[train]") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> cores = {
      "sed", "-n", "s/^Cpus_allowed_list://p", "/proc/self/status"};
  std::vector<std::string> supervised = {
      test::train_program(), "--supervise", folder.path().string()};
  supervised.insert(supervised.end(), cores.begin(), cores.end());

  CHECK(test::run_program(supervised, {"OMP_PROC_BIND=close", "OMP_PLACES=cores"}).out ==
        test::run_program(cores).out);
}

TEST_CASE("what fails by itself is not started again", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial =
      run_supervised(1, folder.path(), R"(, "measured_steps": 4, "learning_rate": 1e300)");

  CHECK(trial.result.exit_code == 1);
  const test::ProgramResult none =
      test::run_program({test::train_program(), "--supervise", folder.path().string()});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("a folder and a command are needed"));
  const test::ProgramResult missing = test::run_program(
      {test::train_program(), "--supervise", folder.path().string(), "/nonexistent/program"});
  CHECK(missing.exit_code == 127);
  CHECK(std::filesystem::is_empty(folder.path()));
}

// 0 if no state is saved whole.
int last_saved_step(const std::filesystem::path& folder) {
  int last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    last = name.starts_with("step_") ? std::max(last, std::stoi(name.substr(5))) : last;
  }
  return last;
}

// The launcher, and with it every rank, is killed wherever the run is from loading on: in a step,
// or while it saves.
TEST_CASE("twenty kills in a row end with the bits of a run without any", "[train][slow]") {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder whole;
  const int steps = 300;
  const std::string parameters = kRun + R"(, "strategy": "zero2", "save_every": 5, )" +
                                 R"("optimizer": "adamw", "straggler_ms": 1, "measured_steps": )" +
                                 std::to_string(steps - 2);
  test::run_saved(2, whole.path(), parameters);
  std::mt19937 random(20261123);  // the moments differ from run to run by what else runs
  int longest_ms = 150;
  const std::string output = folder.file("trial.jsonl");
  int kills = 0;
  int cut_saves = 0;
  const auto kept_step = [&] { return last_saved_step(folder.path()); };
  // Until one kill cut a save, and the last one left something to go on from. Busy cores need
  // longer for five steps.
  for (int tries = 0; (kills < 20 || cut_saves == 0 || kept_step() == 0) && tries < 200; ++tries) {
    const int kept_before = kept_step();
    std::filesystem::remove(output);
    const pid_t launcher = test::start_program(
        test::mpirun_command(2, {test::train_program()}),
        test::mpirun_environment(
            {"SCALESTUDY_PARAMETERS=" + test::in_folder(folder.path(), parameters),
             "SCALESTUDY_OUTPUT=" + output}),
        "/dev/null",
        folder.path() / "out",
        folder.path() / "err");
    const auto is_loading = [&] {
      return test::read_file(output).find("warmup\"") != std::string::npos;
    };
    siginfo_t ended{};
    while (!is_loading() && ended.si_pid == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      waitid(P_PID, static_cast<id_t>(launcher), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    INFO(test::read_file(folder.path() / "err"));
    REQUIRE(is_loading());
    std::uniform_int_distribution<int> milliseconds(0, longest_ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
    ++kills;
    kill(launcher, SIGKILL);
    if (test::wait_for(launcher) == 0) {
      std::filesystem::remove_all(folder.path() / ("step_" + std::to_string(steps)));
      --kills;  // it had ended
      longest_ms = 150;
    }
    longest_ms += kept_step() > kept_before ? 0 : 30;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until its ranks are gone
    cut_saves += std::filesystem::exists(folder.path() / "partial") ? 1 : 0;
  }
  REQUIRE(kills >= 20);
  CHECK(cut_saves > 0);
  const int kept = kept_step();
  REQUIRE(kept > 0);

  const Trial last = test::run_saved(2, folder.path(), parameters);

  const auto series = events_of<protocol::Samples>(last.record);
  CHECK(values_of(series, "checkpoint_load_time_s").size() == 1);
  const auto* const saves = test::find_series(series, "checkpoint_save_time_s");
  CHECK((saves == nullptr ? 0 : std::ssize(saves->values)) == (steps - kept) / 5);

  REQUIRE_FALSE(test::state_of(whole.path(), steps).empty());
  CHECK(test::state_of(folder.path(), steps) == test::state_of(whole.path(), steps));
}

#include "harness/run/process/process_launcher.h"

#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/stop.h"
#include "harness/run/process/open_logs.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::processes_with;
using test::TrialFolder;
using test::wait_until;

constexpr double kGraceSeconds = 0.3;
const std::atomic<bool> kGoOn{false};

// A request whose processes carry a mark of their own, so that /proc can tell if any is left.
struct MarkedRequest {
  explicit MarkedRequest(const TrialFolder& folder, const std::string& body)
      : mark(folder.path().filename().string()) {
    request.argv = {folder.script("trial", body)};
    request.environment = {{"TRIAL_MARK", mark}};
    request.stdout_path = folder.path() / "stdout";
    request.stderr_path = folder.path() / "stderr";
    request.output_path = folder.path() / "protocol.jsonl";
    request.timeout_s = 20.0;
    request.silence_s = 20.0;
  }

  std::vector<int> left() const { return processes_with("TRIAL_MARK=" + mark); }

  LaunchRequest request;
  std::string mark;
};

LaunchResult launch(const MarkedRequest& marked) {
  return ProcessLauncher(kGraceSeconds).launch(marked.request, kGoOn);
}

// How long a program takes to start, as on a busy machine.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): execvp() has no argument
int start_ms = 0;

}  // namespace

// Becomes the launcher's, which is part of this program.
extern "C" int execvp(const char* file, char* const* argv) noexcept {
  usleep(static_cast<useconds_t>(1000 * start_ms));
  return execvpe(file, argv, environ);
}

TEST_CASE("a process that ends gives its exit code, its output and its times", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "echo out; echo err >&2; sleep 0.1; exit 3\n");

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kExited);
  CHECK(result.exit_code == 3);
  CHECK(test::read_file(marked.request.stdout_path) == "out\n");
  CHECK(test::read_file(marked.request.stderr_path) == "err\n");
  CHECK(result.wall_s >= 0.1);
  CHECK(result.cpu_s > 0.0);
  CHECK(result.max_rss_bytes > 1e5);
  CHECK(result.left_processes == 0);
}

TEST_CASE("a results folder that is taken away before a launch is said to be", "[run]") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(store_mark(folder.file("results")), Catch::Contains("was removed or moved"));
  CHECK_THROWS_WITH(OpenLogs(folder.file("results"), "demo", "trial", {}),
                    Catch::Contains("was removed or moved"));
  CHECK_FALSE(std::filesystem::exists(folder.file("results")));
}

TEST_CASE("a time limit counts from when the program runs", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "sleep 0.8\n");
  marked.request.timeout_s = 3.0;
  start_ms = 2500;

  const LaunchResult result = launch(marked);
  start_ms = 0;

  CHECK(result.ending == LaunchEnding::kExited);
  CHECK(result.wall_s >= 2.5 + 0.8);
}

TEST_CASE("the machine is looked at while a process runs, not after it", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "sleep 0.7\n");
  int looks = 0;
  marked.request.look = [&] { ++looks; };

  const double begin_s = SystemClock().monotonic_s();
  CHECK(launch(marked).exit_code == 0);
  const double taken_s = SystemClock().monotonic_s() - begin_s;

  CHECK(looks >= 2);
  CHECK(looks <= 3 + taken_s / 0.2);
}

TEST_CASE("cpu time counts what grandchildren used", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'\n");

  const LaunchResult result = launch(marked);

  CHECK(result.cpu_s > 0.02);
  CHECK(result.cpu_s <= result.wall_s * 1.5);
}

TEST_CASE("a process that is killed by a signal gives the signal", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "kill -SEGV $$\n");

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kSignaled);
  CHECK(result.signal == SIGSEGV);
  CHECK_FALSE(result.exit_code.has_value());
}

TEST_CASE("a program that does not exist is not started and named", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "");
  marked.request.argv = {"no-such-program-here", "x"};

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kNotStarted);
  CHECK(result.message == "cannot execute no-such-program-here: No such file or directory");
}

TEST_CASE("the trial has the added variables and not the removed ones", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "echo \"$ADDED-${LEAKING-unset}-${KEPT-unset}\"\n");
  setenv("LEAKING", "1", 1);
  setenv("KEPT", "2", 1);
  marked.request.environment["ADDED"] = "3";
  marked.request.unset_environment = {"LEAKING"};

  launch(marked);

  CHECK(test::read_file(marked.request.stdout_path) == "3-unset-2\n");
}

TEST_CASE("silence ends a process that writes nothing", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "sleep 60\n");
  marked.request.silence_s = 0.3;

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kSilence);
  CHECK(marked.left().empty());
}

TEST_CASE("a process that writes without end is ended, and its file cut", "[run]") {
  for (const char* writer : {"yes", "yes >&2", "trap '' TERM; yes > protocol.jsonl; yes; yes"}) {
    INFO(writer);
    const TrialFolder folder;
    MarkedRequest marked(folder, "cd " + folder.path().string() + "; " + writer + "\n");
    marked.request.most_bytes = 1'000'000;

    const LaunchResult result = launch(marked);

    CHECK(result.ending == LaunchEnding::kTooLong);
    CHECK_THAT(result.message, Catch::EndsWith(" grew beyond 1000000 bytes; the trial was ended"));
    CHECK(marked.left().empty());
    std::uintmax_t longest = 0;
    for (const auto& path :
         {marked.request.stdout_path, marked.request.stderr_path, marked.request.output_path}) {
      std::error_code ignored;
      const auto size = std::filesystem::file_size(path, ignored);
      longest = std::max(longest, ignored ? 0 : size);
    }
    CHECK(longest == 1'000'000);
  }
}

TEST_CASE("output to the protocol file alone is not silence", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(
      folder, "for i in 1 2 3 4 5 6 7 8 9 10; do echo x >> protocol.jsonl; sleep 0.1; done\n");
  marked.request.argv = {"/bin/sh", "-c", "cd " + folder.path().string() + " && ./trial"};
  marked.request.silence_s = 0.6;

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kExited);
  CHECK(result.exit_code == 0);
}

TEST_CASE("the wall deadline ends a process that never stops talking", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "while :; do echo x; sleep 0.02; done\n");
  marked.request.silence_s = 5.0;
  marked.request.timeout_s = 0.4;

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kTimeout);
  CHECK(result.wall_s >= 0.35);
  CHECK(marked.left().empty());
}

TEST_CASE("a process that ignores TERM is killed after the grace", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "trap '' TERM\nwhile :; do sleep 0.05; done\n");
  marked.request.timeout_s = 1.0;  // until then a busy machine, too, has run the trap

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kTimeout);
  CHECK(result.signal == SIGKILL);
  CHECK(result.wall_s >= 1.0 + 0.9 * kGraceSeconds);
  CHECK(marked.left().empty());
}

TEST_CASE("a process that tidies up on TERM has the grace to do it", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "trap 'echo tidy; exit 5' TERM\nwhile :; do sleep 0.02; done\n");
  marked.request.timeout_s = 1.0;  // until then a busy machine, too, has run the trap

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kTimeout);
  CHECK(result.exit_code == 5);
  CHECK(test::read_file(marked.request.stdout_path) == "tidy\n");
}

TEST_CASE("a stopped process is ended too", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "kill -STOP $$\n");
  marked.request.timeout_s = 0.2;

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kTimeout);
  CHECK(result.signal == SIGTERM);
}

TEST_CASE("a trial that stops its supervisor meets its deadline all the same", "[run]") {
  const TrialFolder folder;
  MarkedRequest marked(folder, "kill -STOP $PPID; sleep 60\n");
  marked.request.timeout_s = 0.5;

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kTimeout);
  CHECK(marked.left().empty());
}

TEST_CASE(
    "a trial that stops the harness holds it up for a moment, its user for as long as he likes",
    "[run][slow]") {
  const TrialFolder folder;
  const bool is_by_user = GENERATE(false, true);
  const pid_t harness = fork();
  if (harness == 0) {
    is_suspended() = is_by_user;
    const MarkedRequest marked(folder, "kill -STOP " + std::to_string(getpid()) + "; sleep 3\n");
    _exit(launch(marked).exit_code == 0 ? 0 : 1);
  }
  int status = 0;

  const bool has_ended = wait_until([&] { return waitpid(harness, &status, WNOHANG) == harness; },
                                    is_by_user ? 6.0 : 60.0);

  CHECK(has_ended == !is_by_user);
  CHECK(status == 0);
  if (!has_ended) {
    kill(harness, SIGCONT);
    waitpid(harness, &status, 0);
    CHECK(status == 0);
  }
}

TEST_CASE("a trial that ends while its user has the harness stopped meets its deadline", "[run]") {
  const TrialFolder folder;
  const pid_t harness = fork();
  if (harness == 0) {
    is_suspended() = true;
    std::signal(SIGUSR1, [](int /*signal*/) { raise(SIGSTOP); });  // as the handler of ^Z does
    MarkedRequest marked(folder, "kill -USR1 " + std::to_string(getpid()) + "; sleep 0.1\n");
    marked.request.timeout_s = 2.0;
    _exit(launch(marked).ending == LaunchEnding::kExited ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(harness, &status, WUNTRACED) == harness);
  REQUIRE(WIFSTOPPED(status));

  usleep(2'500'000);
  kill(harness, SIGCONT);
  REQUIRE(waitpid(harness, &status, 0) == harness);

  CHECK(status == 0);
}

TEST_CASE("a pipe that waits where a log is to be written is replaced", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "echo out\n");
  REQUIRE(mkfifo(marked.request.stdout_path.c_str(), 0600) == 0);

  CHECK(launch(marked).exit_code == 0);

  CHECK(test::read_file(marked.request.stdout_path) == "out\n");
}

TEST_CASE("a daemon that a trial leaves behind is ended and counted", "[run]") {
  const TrialFolder folder;
  // setsid in a subshell whose parent exits: another session, another group, an orphan.
  const MarkedRequest marked(folder, "(setsid sh -c 'sleep 60 & sleep 60' >/dev/null 2>&1 &)\n");

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kExited);
  CHECK(result.exit_code == 0);
  CHECK(result.left_processes == 3);  // the shell and two sleeps
  CHECK(marked.left().empty());
}

TEST_CASE("a straggler that ends soon by itself is not counted as left", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "(while [ -d /proc/$$ ]; do sleep 0.01; done; sleep 0.2) &\n");
  const double begin_s = SystemClock().monotonic_s();

  const LaunchResult result = launch(marked);

  CHECK(result.left_processes == 0);
  CHECK(SystemClock().monotonic_s() - begin_s >= result.wall_s + 0.2);  // which the trial was not
}

TEST_CASE("stop ends the running trial", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "sleep 60\n");
  const std::atomic<bool> stop{true};

  const LaunchResult result = ProcessLauncher(kGraceSeconds).launch(marked.request, stop);

  CHECK(result.ending == LaunchEnding::kInterrupted);
  CHECK(marked.left().empty());
}

TEST_CASE("a trial that is told to end together with the harness was interrupted", "[run]") {
  const TrialFolder folder;
  const std::string touch = "touch " + folder.file("ended") + "; ";
  const auto ending_of = [&](const std::string& ending, int told_after_ms) {
    std::filesystem::remove(folder.file("ended"));
    const MarkedRequest marked(folder, touch + ending + "\n");
    std::atomic<bool> stop{false};
    std::thread other([&] {
      wait_until([&] { return std::filesystem::exists(folder.file("ended")); }, 10.0);
      std::this_thread::sleep_for(std::chrono::milliseconds(told_after_ms));
      stop = true;
    });
    const LaunchResult result = ProcessLauncher(kGraceSeconds).launch(marked.request, stop);
    other.join();
    return result.ending;
  };

  // Some programs say it by a code, and what is left for a moment keeps the launch from being over.
  CHECK(ending_of("kill -TERM $$", 300) == LaunchEnding::kInterrupted);
  CHECK(ending_of("sleep 0.4 & exit 143", 300) == LaunchEnding::kInterrupted);
  setenv("SLURM_JOB_ID", "1", 1);
  CHECK(ending_of("kill -TERM $$", 1500) == LaunchEnding::kInterrupted);
  unsetenv("SLURM_JOB_ID");
}

TEST_CASE("when the supervisor is killed its trial is ended, and no other child of the caller",
          "[run]") {
  const TrialFolder folder;
  const pid_t bystander = fork();
  if (bystander == 0) {
    execlp("sleep", "sleep", "60", nullptr);
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // start times are known to 10 ms
  // The trial kills its parent, which is the supervisor.
  const MarkedRequest marked(folder, "(setsid sleep 60 &)\nkill -KILL $PPID\nsleep 60\n");

  const LaunchResult result = launch(marked);

  CHECK(result.ending == LaunchEnding::kSignaled);
  CHECK(result.message == "the trial's supervisor was killed; the trial was ended");
  CHECK(marked.left().empty());
  CHECK(waitpid(bystander, nullptr, WNOHANG) == 0);
  kill(bystander, SIGKILL);
  waitpid(bystander, nullptr, 0);
}

TEST_CASE("when the harness is killed its trial is ended", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder,
                             "trap '' TERM\n(setsid sleep 60 &)\nwhile :; do sleep 0.05; done\n");
  const pid_t harness = fork();
  if (harness == 0) {
    launch(marked);
    _exit(0);
  }
  REQUIRE(wait_until([&] { return marked.left().size() >= 3; }, 10.0));

  kill(harness, SIGKILL);
  waitpid(harness, nullptr, 0);

  CHECK(wait_until([&] { return marked.left().empty(); }, 10.0));
}

TEST_CASE("the trial gets no descriptor of the harness but its three streams", "[run]") {
  const TrialFolder folder;
  const MarkedRequest marked(folder, "ls -l /proc/self/fd\n");
  const int leaking = fcntl(STDERR_FILENO, F_DUPFD, 50);  // without close-on-exec

  launch(marked);

  const std::string listing = test::read_file(marked.request.stdout_path);
  CHECK(listing.find(" 0 -> /dev/null") != std::string::npos);
  CHECK(listing.find(" " + std::to_string(leaking) + " -> ") == std::string::npos);
  CHECK(listing.find("pipe:") == std::string::npos);
  close(leaking);
}

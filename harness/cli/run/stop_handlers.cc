#include "harness/cli/run/stop_handlers.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <string_view>

#include <unistd.h>

#include "harness/base/error.h"

namespace scalestudy {

namespace {

std::atomic<bool>& has_cleanup() {
  static std::atomic<bool> cleans_up{false};
  return cleans_up;
}

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000 * std::int64_t{now.tv_sec} + now.tv_nsec / 1'000'000;
}

// Ending a trial that ignores TERM takes 8 s: who pressed Ctrl-C is told at once. Who asks again
// ends the program as kill -9 would, wherever it is. That is a second later at least: `timeout`
// signals both a program and its process group.
void request_stop(int /*signal*/) {
  constexpr std::string_view notice =
      "\nstopping; a running trial is ended first (up to 8 s). A second signal ends the program at "
      "once\n";
  constexpr std::string_view with_cleanup =
      "\nstopping; a running trial is ended first (up to 8 s, and 18 s for its cleanup). A second "
      "signal ends the program at once\n";
  static std::atomic<std::time_t> asked_at_s{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!stop_requested.exchange(true)) {
    asked_at_s = now.tv_sec;
    const std::string_view text = has_cleanup() ? with_cleanup : notice;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  } else if (now.tv_sec - asked_at_s > 1) {
    _exit(static_cast<int>(ExitCode::kInterrupted));
  }
}

// Of a signal that whoever started this process has not ignored, as nohup does SIGHUP.
void handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

// ^Z, and output of a background process (stty tostop), told from a trial that stops this process:
// from that its supervisor wakes it. The signal's own effect, which the kernel leaves out where no
// shell could continue the process.
void suspend(int signal) {
  is_suspended() = true;
  const std::int64_t stopped_at_ms = now_ms();
  std::signal(signal, SIG_DFL);
  raise(signal);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // it stops here
  suspended_ms += now_ms() - stopped_at_ms;
  is_suspended() = false;
  handle(signal, suspend, SA_RESTART);
}

}  // namespace

void install_stop_handlers(bool cleans_up) {
  has_cleanup() = cleans_up;
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  handle(SIGHUP, request_stop);
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) {
    handle(signal, suspend, SA_RESTART);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace scalestudy

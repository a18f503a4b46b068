// Subreaper loop: every orphan of the trial becomes a child of this process, so none can get away.
#include "harness/run/process/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/stop.h"
#include "harness/run/process/process_tree.h"

namespace scalestudy {
namespace {

constexpr int kPollMs = 10;  // while processes are being ended

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// A message is far below PIPE_BUF, so it is written whole. Without a reader (a dead harness) it is
// lost.
void send_message(int descriptor, const SupervisorMessage& message) {
  [[maybe_unused]] const ssize_t written = write(descriptor, &message, sizeof(message));
}

void redirect_to_null(int from, int to) {
  const int null = open("/dev/null", from | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, to);
    close(null);
  }
}

// Between fork and exec of the trial; writes errno to `failure` when exec does not happen.
[[noreturn]] void become_trial(const SupervisorTask& task, int failure) {
  setpgid(0, 0);
  dup2(task.stdout_descriptor, STDOUT_FILENO);
  dup2(task.stderr_descriptor, STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int signal = 1; signal < NSIG; ++signal) {
    std::signal(signal, SIG_DFL);  // fails for KILL, STOP and libc's own, which is as it should be
  }
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  environ =
      const_cast<char**>(task.environment);  // NOLINT(cppcoreguidelines-pro-type-const-cast): POSIX
  if (*task.working_folder == '\0' || chdir(task.working_folder) == 0) {
    execvp(task.argv[0], task.argv);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &error, sizeof(error));
  _exit(127);
}

// Starts argv[0]; 0 and the id in `pid`, or the errno.
int start(const SupervisorTask& task, pid_t& pid) {
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    return errno;
  }
  pid = fork();
  if (pid < 0) {
    return errno;
  }
  if (pid == 0) {
    become_trial(task, failure[1]);
  }
  setpgid(pid, pid);  // here too: whoever comes first; fails harmlessly after exec
  close(failure[1]);
  int error = 0;
  ssize_t length = 0;
  do {
    length = read(failure[0], &error, sizeof(error));
  } while (length < 0 && errno == EINTR);
  close(failure[0]);
  if (length == sizeof(error)) {
    waitpid(pid, nullptr, 0);
    return error;
  }
  return 0;
}

class Supervisor {
 public:
  Supervisor(const SupervisorTask& task, int signals) : task_(task), signals_(signals) {}

  void run() {
    started_s_ = SystemClock().monotonic_s();
    SupervisorMessage message;
    message.error = start(task_, trial_);
    if (message.error != 0) {
      send_message(task_.report, message);
      return;
    }
    message.kind = SupervisorMessage::Kind::kStarted;
    send_message(task_.report, message);
    while (!reap()) {
      wait_for_events();
      if (ending_.has_value()) {
        count_left(ending_->step());
      }
    }
    report_gone();
  }

 private:
  // True when this process has no child any more; being a subreaper, then no descendant either.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid == 0) {
        return false;
      }
      if (pid < 0) {
        return errno == ECHILD;
      }
      if (pid == trial_) {
        has_ended_ = true;
        ended_s_ = SystemClock().monotonic_s();
        ended_by_itself_ = !ending_.has_value();
        SupervisorMessage message;
        message.kind = SupervisorMessage::Kind::kEnded;
        message.wait_status = status;
        message.wall_s = ended_s_ - started_s_;
        send_message(task_.report, message);
      }
    }
  }

  void wait_for_events() {
    std::array<pollfd, 2> events{pollfd{signals_, POLLIN, 0}, pollfd{task_.lifeline, POLLIN, 0}};
    // Once ending, a closed lifeline would wake poll for ever.
    const nfds_t count = ending_.has_value() ? 1 : 2;
    const bool is_busy = ending_.has_value() || has_ended_;
    if (poll(events.data(), count, is_busy ? kPollMs : static_cast<int>(1000.0 * task_.wake_s)) ==
        0) {
      wake_harness();
    }
    bool must_end = count == 2 && events[1].revents != 0;
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      must_end = must_end || info.ssi_signo != SIGCHLD;
    }
    must_end = must_end || (has_ended_ && SystemClock().monotonic_s() - ended_s_ >= task_.settle_s);
    if (must_end && !ending_.has_value()) {
      ending_.emplace(task_.grace_s, 0ULL);  // whatever is below us is of the trial
    }
  }

  // ^Z stops it as well, but that its user wants.
  void wake_harness() const {
    ProcessInfo harness;
    if (getppid() == harness_ && !is_suspended() && read_process(harness_, harness) &&
        harness.state == 'T') {
      kill(harness_, SIGCONT);
    }
  }

  // The first look after argv[0] has ended says how many it left behind.
  void count_left(const std::vector<ProcessInfo>& alive) {
    if (has_ended_ && left_processes_ < 0) {
      left_processes_ = static_cast<int>(std::count_if(
          alive.begin(), alive.end(), [](const ProcessInfo& one) { return one.state != 'Z'; }));
    }
  }

  void report_gone() const {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    SupervisorMessage message;
    message.kind = SupervisorMessage::Kind::kGone;
    message.system_s = seconds(usage.ru_stime);
    message.cpu_s = seconds(usage.ru_utime) + message.system_s;
    message.max_rss_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);  // kB on Linux
    message.left_processes = ended_by_itself_ && left_processes_ > 0 ? left_processes_ : 0;
    send_message(task_.report, message);
  }

  const SupervisorTask& task_;
  int signals_;
  pid_t harness_ = getppid();
  pid_t trial_ = 0;
  double started_s_ = 0.0;
  double ended_s_ = 0.0;
  bool has_ended_ = false;
  bool ended_by_itself_ = false;
  int left_processes_ = -1;  // -1: not counted yet
  std::optional<Ending> ending_;
};

}  // namespace

void supervise(const SupervisorTask& task) {
  setsid();
  prctl(PR_SET_NAME, "scalestudy-keep");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The harness's terminal or pipe must not be held open by a trial that is being ended.
  redirect_to_null(O_RDONLY, STDIN_FILENO);
  redirect_to_null(O_WRONLY, STDOUT_FILENO);
  redirect_to_null(O_WRONLY, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&watched, signal);
  }
  pthread_sigmask(SIG_SETMASK, &watched, nullptr);
  // An ignored SIGCHLD, inherited from whoever started the harness, would reap children unseen.
  std::signal(SIGCHLD, SIG_DFL);
  const int signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  Supervisor(task, signals).run();
  _exit(0);
}

}  // namespace scalestudy

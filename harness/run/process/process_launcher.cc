// The harness's side of a launch: files, environment, deadlines.
#include "harness/run/process/process_launcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/stop.h"
#include "harness/run/process/file_watch.h"
#include "harness/run/process/process_tree.h"
#include "harness/run/process/supervisor.h"
#include "harness/run/process/trial_files.h"

namespace scalestudy {
namespace {

// How often files are looked at while a trial runs: seldom enough to cost it nothing (three stat
// calls), often enough for deadlines in seconds and for ^C.
constexpr double kWatchIntervalSeconds = 0.2;

// More often in the first seconds, so that a trial of half a second shows when its lines arrive.
double watch_interval_s(double elapsed_s) {
  constexpr double share = 0.05;
  constexpr double least_s = 0.01;
  return std::clamp(share * elapsed_s, least_s, kWatchIntervalSeconds);
}

std::string error_text(int error) {
  return std::system_category().message(error);
}

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  int get() const { return value_; }
  void reset(int value = -1) {
    if (value_ >= 0) {
      close(value_);
    }
    value_ = value;
  }

 private:
  int value_;
};

// Pipe with close-on-exec ends; false when the process is out of descriptors.
bool make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return false;
  }
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return true;
}

std::vector<std::string> trial_environment(const LaunchRequest& request) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const auto& unset = request.unset_environment;
    if (!request.environment.contains(name) &&
        std::find(unset.begin(), unset.end(), name) == unset.end()) {
      entries.push_back(text);
    }
  }
  for (const auto& [name, value] : request.environment) {
    entries.push_back(fmt::format("{}={}", name, value));
  }
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

// What came over the report pipe.
struct Reports {
  // argv[0]; before it runs, which takes a busy machine a while, this.
  double started_s = SystemClock().monotonic_s();
  bool has_ended = false;  // argv[0] is gone
  bool is_complete = false;
  LaunchResult result;

  void take(const SupervisorMessage& message) {
    switch (message.kind) {
      case SupervisorMessage::Kind::kNotStarted:
        result.ending = LaunchEnding::kNotStarted;
        result.message = error_text(message.error);
        is_complete = true;
        break;
      case SupervisorMessage::Kind::kStarted:
        started_s = SystemClock().monotonic_s();
        break;
      case SupervisorMessage::Kind::kEnded:
        has_ended = true;
        result.wall_s = message.wall_s;
        if (WIFSIGNALED(message.wait_status)) {
          result.ending = LaunchEnding::kSignaled;
          result.signal = WTERMSIG(message.wait_status);
        } else {
          result.ending = LaunchEnding::kExited;
          result.exit_code = WEXITSTATUS(message.wait_status);
        }
        break;
      case SupervisorMessage::Kind::kGone:
        result.cpu_s = message.cpu_s;
        result.system_s = message.system_s;
        result.max_rss_bytes = message.max_rss_bytes;
        result.left_processes = message.left_processes;
        is_complete = true;
        break;
    }
  }
};

// Whether `stop` has been set for as long as the trial may go on then.
class StopWatch {
 public:
  StopWatch(const std::atomic<bool>& stop, double patience_s)
      : stop_(stop), patience_s_(patience_s) {}

  bool is_over() {
    const double now_s = SystemClock().monotonic_s();
    if (!stop_.load()) {
      not_stopped_s_ = now_s;
    }
    return stop_.load() && now_s - not_stopped_s_ >= patience_s_;
  }

 private:
  const std::atomic<bool>& stop_;
  double patience_s_;
  double not_stopped_s_ = SystemClock().monotonic_s();
};

// Why the trial is to be ended now; kExited: it is not.
LaunchEnding due_ending(double left_s, double silence_left_s, bool is_stopped, bool is_too_long) {
  return is_stopped              ? LaunchEnding::kInterrupted
         : left_s <= 0.0         ? LaunchEnding::kTimeout
         : silence_left_s <= 0.0 ? LaunchEnding::kSilence
         : is_too_long           ? LaunchEnding::kTooLong
                                 : LaunchEnding::kExited;
}

// Waits for the supervisor's messages, and asks it to end the trial when a deadline passes. Returns
// how the trial was ended by us, kExited when it was not.
LaunchEnding watch(const LaunchRequest& request,
                   const std::atomic<bool>& stop,
                   pid_t supervisor,
                   int report,
                   Descriptor& lifeline,
                   Reports& reports) {
  FileWatch files(request);
  LaunchEnding ended_by_us = LaunchEnding::kExited;
  StopWatch stopped(stop, request.after_stop_s);
  std::optional<double> looked_s;
  for (;;) {
    const bool is_stopped = stopped.is_over();
    const double now_s = SystemClock().monotonic_s();
    double wait_s = watch_interval_s(now_s - reports.started_s);
    if (request.look && !reports.has_ended &&
        !(looked_s && now_s - *looked_s < kWatchIntervalSeconds)) {
      request.look();
      looked_s = now_s;
    }
    pollfd event{report, POLLIN, 0};
    // After ^Z, the trial may have ended in time while this process was stopped.
    const bool has_news = poll(&event, 1, 0) > 0;
    if (!has_news && !reports.has_ended && ended_by_us == LaunchEnding::kExited) {
      const double left_s = request.timeout_s - (now_s - reports.started_s);
      const double silence_left_s = request.silence_s - files.silent_for_s();
      const std::string name = files.too_long();
      ended_by_us = due_ending(left_s, silence_left_s, is_stopped, !name.empty());
      if (ended_by_us == LaunchEnding::kTooLong) {
        reports.result.message =
            fmt::format("{} grew beyond {} bytes; the trial was ended", name, request.most_bytes);
      }
      if (ended_by_us != LaunchEnding::kExited) {
        lifeline.reset();
      }
      wait_s = std::min({wait_s, std::max(left_s, 0.0), std::max(silence_left_s, 0.0)});
    }
    if (ended_by_us == LaunchEnding::kTooLong) {
      files.cut();
    }
    if (poll(&event, 1, static_cast<int>(1000.0 * wait_s) + 1) <= 0) {
      kill(supervisor, SIGCONT);  // should the trial have stopped it
      continue;                   // time to look at the deadlines again, or a signal came
    }
    SupervisorMessage message;
    const ssize_t length = read(report, &message, sizeof(message));
    if (length == sizeof(message)) {
      reports.take(message);
    } else if (length == 0) {
      files.cut();
      reports.result.out_growth = files.out_growth();
      reports.result.err_growth = files.err_growth();
      return ended_by_us;
    }
  }
}

// Makes this process the one that orphans of a trial fall to if the supervisor is killed.
class SubreaperScope {
 public:
  SubreaperScope() {
    prctl(PR_GET_CHILD_SUBREAPER, &before_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  SubreaperScope(const SubreaperScope&) = delete;
  SubreaperScope& operator=(const SubreaperScope&) = delete;
  ~SubreaperScope() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

 private:
  int before_ = 0;
};

// The supervisor was killed: ends what has started since it did. This process waits in launch() all
// that time, so whatever is younger below it is of the trial.
void end_orphans(double grace_s, unsigned long long since_ticks) {
  Ending ending(grace_s, since_ticks);
  for (int empty_passes = 0; empty_passes < 2;) {  // one can miss a process that changes parents
    const std::vector<ProcessInfo> alive = ending.step();
    for (const ProcessInfo& process : alive) {
      if (process.parent == getpid()) {
        waitpid(process.pid, nullptr, WNOHANG);
      }
    }
    empty_passes = alive.empty() ? empty_passes + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Forks the supervisor with all signals blocked, so that no handler of the harness runs in it. It
// closes our ends of the pipes: a supervisor with its own lifeline would never see us die. Returns
// -1 with errno set when there is no more room for processes.
pid_t fork_supervisor(const SupervisorTask& task, Descriptor& lifeline, Descriptor& report) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    lifeline.reset();
    report.reset();
    supervise(task);
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = fork_error;
  return supervisor;
}

// Whether the harness is told to end, too, when its trial did not end well. Slurm tells every
// process of a job, one after the other in no order, on a busy node with seconds between them: a
// trial that ends as if it was told gets a moment, in which nothing is said of it yet.
bool is_ended_with_us(const LaunchResult& result, const std::atomic<bool>& stop) {
  const bool is_job = std::getenv("SLURM_JOB_ID") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  const double moment_s = is_job ? 3.0 : 1.0;
  constexpr std::array<int, 4> told{SIGTERM, SIGKILL, SIGINT, SIGHUP};
  if (result.ending == LaunchEnding::kNotStarted || result.exit_code == 0) {
    return false;
  }
  // Shells and mpirun say 143 for TERM; without either the supervisor was killed.
  const int signal = result.signal.value_or(result.exit_code.value_or(128 + SIGKILL) - 128);
  const bool may_be_told = is_job || std::ranges::find(told, signal) != told.end();
  const double since_s = SystemClock().monotonic_s();
  while (may_be_told && !stop.load() && SystemClock().monotonic_s() - since_s < moment_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return stop.load();
}

LaunchResult not_started(const std::string& message) {
  LaunchResult result;
  result.message = message;
  return result;
}

}  // namespace

std::string store_mark(const std::filesystem::path& results) {
  struct stat status {};
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(results, error);
  if (error || stat(place.c_str(), &status) != 0) {
    throw Error(ErrorKind::kStore,
                results.string() + ": was removed or moved; once it is back, `run` continues");
  }
  return fmt::format("{}#{}", place.string(), std::uint64_t{status.st_ino});
}

int end_leftovers(const std::filesystem::path& results, double grace_s) {
  const std::string entry = "SCALESTUDY_STORE=" + store_mark(results);
  std::vector<ProcessInfo> alive = marked_processes(entry);
  const auto count = static_cast<int>(alive.size());
  for (Ending ending(grace_s, 0); !alive.empty(); alive = marked_processes(entry)) {
    ending.step(alive);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return count;
}

LaunchResult ProcessLauncher::launch(const LaunchRequest& request, const std::atomic<bool>& stop) {
  const Descriptor out(create_log(request.stdout_path));
  const Descriptor err(create_log(request.stderr_path));
  Descriptor lifeline_read;
  Descriptor lifeline;
  Descriptor report;
  Descriptor report_write;
  if (out.get() < 0 || err.get() < 0 || !make_pipe(lifeline_read, lifeline) ||
      !make_pipe(report, report_write)) {
    return not_started("cannot open the trial's files in " +
                       request.stdout_path.parent_path().string() + ": " + error_text(errno));
  }
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = trial_environment(request);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const SubreaperScope subreaper;
  is_suspended();  // shared before the fork
  const pid_t supervisor =
      fork_supervisor(SupervisorTask{.argv = argv.data(),
                                     .environment = envp.data(),
                                     .working_folder = request.working_folder.c_str(),
                                     .stdout_descriptor = out.get(),
                                     .stderr_descriptor = err.get(),
                                     .lifeline = lifeline_read.get(),
                                     .report = report_write.get(),
                                     .grace_s = grace_s_},
                      lifeline,
                      report);
  if (supervisor < 0) {
    return not_started("cannot fork: " + error_text(errno));
  }
  ProcessInfo supervisor_info;
  read_process(supervisor, supervisor_info);
  lifeline_read.reset();
  report_write.reset();

  Reports reports;
  const LaunchEnding ended_by_us =
      watch(request, stop, supervisor, report.get(), lifeline, reports);
  while (waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  reports.result.is_disk_full = is_disk_full(request.stdout_path.parent_path());
  if (!reports.is_complete) {
    end_orphans(grace_s_, supervisor_info.start_ticks);
    reports.result.ending = LaunchEnding::kSignaled;
    reports.result.message = "the trial's supervisor was killed; the trial was ended";
  }
  if (ended_by_us != LaunchEnding::kExited) {
    reports.result.ending = ended_by_us;
  } else if (is_ended_with_us(reports.result, stop)) {
    reports.result.ending = LaunchEnding::kInterrupted;
  }
  if (reports.result.ending == LaunchEnding::kNotStarted) {
    reports.result.message =
        "cannot execute " + request.argv.front() +
        (request.working_folder.empty() ? "" : " in " + request.working_folder.string()) + ": " +
        reports.result.message;
  }
  return reports.result;
}

}  // namespace scalestudy

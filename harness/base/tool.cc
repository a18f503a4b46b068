// fork and exec with three pipes, served by poll so that neither side waits for the other.
#include "harness/base/tool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/stop.h"

namespace scalestudy {
namespace {

[[noreturn]] void fail(const char* call, int error) {
  throw Error(ErrorKind::kInternal,
              std::string(call) + ": " + std::generic_category().message(error));
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) {
      ::close(number_);
      number_ = -1;
    }
  }

  int number() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("pipe2", errno);
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A program that stops reading must not kill this process, whose children may not be reaped unseen
// either, as where SIGCHLD was ignored by whoever started it.
class SignalScope {
 public:
  SignalScope() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipe_before_);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, &child_before_);
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope() {
    sigaction(SIGPIPE, &pipe_before_, nullptr);
    sigaction(SIGCHLD, &child_before_, nullptr);
  }

 private:
  struct sigaction pipe_before_ {};
  struct sigaction child_before_ {};
};

void write_some(Descriptor& to, std::string_view& left) {
  const ssize_t written = ::write(to.number(), left.data(), left.size());
  if (written >= 0) {
    left.remove_prefix(static_cast<std::size_t>(written));
  } else if (errno != EINTR && errno != EAGAIN) {
    left = {};  // it reads no more; its exit code says why
  }
  if (left.empty()) {
    to.close();
  }
}

void read_some(Descriptor& from, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    from.close();
  }
}

// Between fork and exec; writes errno to `failure` when exec does not happen.
[[noreturn]] void become(
    char* const* argv, const Pipe& in, const Pipe& out, const Pipe& err, int failure) {
  setsid();  // no terminal to ask, and a group that can be ended with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in.read.number(), STDIN_FILENO);
  dup2(out.write.number(), STDOUT_FILENO);
  dup2(err.write.number(), STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int signal = 1; signal < NSIG; ++signal) {
    std::signal(signal, SIG_DFL);
  }
  execvp(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &error, sizeof(error));
  _exit(127);
}

// A started program: its id, and our ends of its pipes.
class Tool {
 public:
  // `error`: the errno of exec, 0 when it runs.
  Tool(const std::vector<std::string>& command, int& error) {
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    Pipe failure = make_pipe();
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    id_ = fork();  // NOLINT(cppcoreguidelines-prefer-member-initializer): its pipes come first
    if (id_ == 0) {
      become(argv.data(), in, out, err, failure.write.number());
    }
    if (id_ < 0) {
      fail("fork", errno);
    }
    failure.write.close();
    ssize_t length = 0;
    do {
      length = ::read(failure.read.number(), &error, sizeof(error));
    } while (length < 0 && errno == EINTR);
    error = length == sizeof(error) ? error : 0;
    in_ = std::move(in.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    fcntl(in_.number(), F_SETFL, O_NONBLOCK);
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool() { end(); }

  // Moves what bytes there are, for a moment at most.
  void serve(std::string_view& input, ToolResult& result) {
    if (input.empty()) {
      in_.close();
    }
    const bool has_pipes = out_.number() >= 0 || err_.number() >= 0;
    std::array<pollfd, 3> waits = {
        {{in_.number(), POLLOUT, 0}, {out_.number(), POLLIN, 0}, {err_.number(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), has_pipes ? 50 : 2) > 0) {
      if (waits[0].revents != 0) {
        write_some(in_, input);
      }
      if (waits[1].revents != 0) {
        read_some(out_, result.output);
      }
      if (waits[2].revents != 0) {
        read_some(err_, result.errors);
      }
    }
    reap(WNOHANG);
  }

  // A daemon that it leaves may hold the pipes for ever.
  [[nodiscard]] bool is_done() const {
    constexpr double patience_s = 1.0;
    return status_ && ((out_.number() < 0 && err_.number() < 0) ||
                       SystemClock().monotonic_s() - ended_s_ > patience_s);
  }

  // With all that is in its group: while it is not reaped, nobody else's has that number.
  void end() {
    constexpr double grace_s = 2.0;
    if (status_) {
      return;
    }
    kill(-id_, SIGTERM);
    const double until_s = SystemClock().monotonic_s() + grace_s;
    siginfo_t ended{};
    while (ended.si_pid == 0 && SystemClock().monotonic_s() < until_s) {
      poll(nullptr, 0, 5);
      waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(-id_, SIGKILL);
    reap(0);
  }

  [[nodiscard]] int exit_code() const {
    return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
  }

 private:
  void reap(int how) {
    int status = 0;
    pid_t ended = 0;
    do {
      ended = status_ ? 0 : waitpid(id_, &status, how);
    } while (ended < 0 && errno == EINTR);
    if (ended > 0) {
      status_ = status;
      ended_s_ = SystemClock().monotonic_s();
    }
  }

  pid_t id_ = 0;
  Descriptor in_;
  Descriptor out_;
  Descriptor err_;
  std::optional<int> status_;
  double ended_s_ = 0.0;
};

}  // namespace

ToolResult run_tool(const std::vector<std::string>& command,
                    const std::string& input,
                    const ToolLimits& limits) {
  const SignalScope signals;
  const double started_s = SystemClock().monotonic_s();
  ToolResult result;
  int error = 0;
  Tool tool(command, error);
  // EACCES and ENOTDIR: what a folder of PATH says that nobody may search, or that is a file.
  if (error == ENOENT || error == EACCES || error == ENOTDIR) {
    result.found = false;
    return result;
  }
  if (error != 0) {
    fail(command.front().c_str(), error);
  }
  std::string limit;
  for (std::string_view left = input; !tool.is_done() && limit.empty();) {
    tool.serve(left, result);
    if (stop_requested.load()) {
      throw Error(ErrorKind::kInterrupted, "stopped while " + command.front() + " ran");
    }
    if (tool.is_done()) {
      break;  // in time, however long this program was suspended meanwhile
    }
    if (SystemClock().monotonic_s() - started_s > limits.timeout_s) {
      limit = fmt::format("it gave no answer within {:g} s", limits.timeout_s);
    } else if (std::max(result.output.size(), result.errors.size()) > limits.most_bytes) {
      limit = fmt::format("it printed more than {} MiB", limits.most_bytes >> 20U);
    }
  }
  tool.end();
  result.exit_code = tool.exit_code();
  if (!limit.empty()) {
    result.exit_code = 128 + SIGKILL;
    result.errors += fmt::format("{} was ended: {}", command.front(), limit);
  }
  return result;
}

}  // namespace scalestudy

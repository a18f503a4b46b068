// posix_spawn with three pipes, served by poll so that neither side waits for the other.
#include "harness/report/filter.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"

namespace scalestudy::report {
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

// A filter that stops reading must not kill this process.
class IgnorePipeSignal {
 public:
  IgnorePipeSignal() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  IgnorePipeSignal(const IgnorePipeSignal&) = delete;
  IgnorePipeSignal& operator=(const IgnorePipeSignal&) = delete;
  IgnorePipeSignal(IgnorePipeSignal&&) = delete;
  IgnorePipeSignal& operator=(IgnorePipeSignal&&) = delete;
  ~IgnorePipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ {};
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

// Moves bytes until the filter has closed its outputs.
void serve(Descriptor& to,
           std::string_view input,
           Descriptor& out,
           Descriptor& err,
           FilterResult& result) {
  fcntl(to.number(), F_SETFL, O_NONBLOCK);
  if (input.empty()) {
    to.close();
  }
  while (out.number() >= 0 || err.number() >= 0) {
    std::array<pollfd, 3> waits = {
        {{to.number(), POLLOUT, 0}, {out.number(), POLLIN, 0}, {err.number(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("poll", errno);
    }
    if (waits[0].revents != 0) {
      write_some(to, input);
    }
    if (waits[1].revents != 0) {
      read_some(out, result.output);
    }
    if (waits[2].revents != 0) {
      read_some(err, result.errors);
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      fail("waitpid", errno);
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

FilterResult run_filter(const std::vector<std::string>& command, const std::string& input) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.number(), STDERR_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  FilterResult result;
  if (error == ENOENT) {
    result.found = false;
    return result;
  }
  if (error != 0) {
    fail("posix_spawnp", error);
  }
  in.read.close();
  out.write.close();
  err.write.close();
  const IgnorePipeSignal guard;
  serve(in.write, input, out.read, err.read, result);
  in.write.close();
  result.exit_code = wait_for(child);
  return result;
}

}  // namespace scalestudy::report

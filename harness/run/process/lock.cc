// flock: released by the kernel with the last descriptor, inherited by the supervisor of a running
// trial, and mapped to NFS byte-range locks by Linux clients (flock(2)), so that it holds on shared
// folders too.
#include "harness/run/process/lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

constexpr std::string_view kWaits = "\nwaits for the machine: ";  // then the study

// - waiting: gets the study that waits, if one does.
std::string read_run_holder(int descriptor, std::string* waiting = nullptr) {
  std::array<char, 512> text{};
  const ssize_t length = pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0U);
  while (!holder.empty() && holder.back() == '\n') {
    holder.pop_back();
  }
  if (const std::size_t waits = holder.find(kWaits); waits != std::string::npos) {
    if (waiting != nullptr) {
      *waiting = holder.substr(waits + kWaits.size());
    }
    holder.resize(waits);
  }
  return holder.empty() ? "a process that has not written its name yet" : holder;
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(
      ErrorKind::kStore,
      fmt::format("{}: {}. The results folder must be one that you may write to; choose another "
                  "with --results DIR",
                  path.string(),
                  std::system_category().message(error)));
}

// Whether the holder is a process of this machine that is gone.
bool is_gone(const std::string& holder) {
  long pid = 0;
  std::array<char, 256> host{};
  // NOLINTNEXTLINE(cert-err34-c): the number of fields is checked, and no pid is out of range
  return std::sscanf(holder.c_str(), "pid %ld on %255s since", &pid, host.data()) == 2 &&
         host_name() == host.data() && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

// 0, or why not. Waits while somebody only asks who holds the lock (lock_holder: some
// microseconds), and while the trial of a run that was killed is still being ended.
int take(int descriptor) {
  using std::chrono::milliseconds;
  constexpr milliseconds pause(10);
  constexpr milliseconds longest_question(100);
  constexpr milliseconds longest_ending(15'000);  // more than a supervisor grants a trial
  for (milliseconds waited(0); flock(descriptor, LOCK_EX | LOCK_NB) != 0; waited += pause) {
    if (errno != EWOULDBLOCK) {
      return errno;
    }
    if (waited >= (is_gone(read_run_holder(descriptor)) ? longest_ending : longest_question)) {
      return EWOULDBLOCK;
    }
    std::this_thread::sleep_for(pause);
  }
  return 0;
}

}  // namespace

std::optional<LockHolder> lock_holder(const fs::path& results) {
  const int descriptor =
      open((results / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    return std::nullopt;
  }
  const bool is_held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  std::string waiting;
  std::string name = read_run_holder(descriptor, &waiting);
  close(descriptor);
  if (!is_held || is_gone(name)) {
    return std::nullopt;
  }
  const std::size_t since = name.rfind(' ');
  return LockHolder{.name = name,
                    .since = since == std::string::npos ? "" : name.substr(since + 1),
                    .waiting = waiting};
}

RunLock::RunLock(const fs::path& results) {
  std::error_code error;
  if (!create_private_folder(results, error)) {
    fail(results, error ? error.value() : ENOTDIR);
  }
  const fs::path path = results / "lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) {
    fail(path, errno);
  }
  if (const int reason = take(descriptor_); reason != 0) {
    const std::string holder = read_run_holder(descriptor_);
    close(descriptor_);
    if (reason != EWOULDBLOCK) {
      fail(path, reason);
    }
    throw Error(ErrorKind::kLocked,
                fmt::format("{} is in use: {} holds {}. Wait for it, or use another "
                            "--results DIR",
                            results.string(),
                            holder,
                            path.string()));
  }
  holder_ = fmt::format("pid {} on {} since {}", getpid(), host_name(), SystemClock().utc_now());
  if (!write(holder_ + "\n")) {
    const int reason = errno;
    close(descriptor_);
    fail(path, reason);
  }
}

bool RunLock::write(const std::string& text) const {
  return ftruncate(descriptor_, 0) == 0 &&
         pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

void RunLock::tell_waiting(const std::string& study) const {
  static_cast<void>(write(holder_ + (study.empty() ? "" : std::string(kWaits) + study) + "\n"));
}

RunLock::~RunLock() {
  // The file stays: removing it would let a third process lock a file that has no name any more.
  close(descriptor_);
}

}  // namespace scalestudy

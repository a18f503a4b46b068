// Walks /proc and signals through process file descriptors.
#include "harness/run/process/process_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <sstream>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/read_environment.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

// A small file of /proc in one read; empty when the process is gone.
std::string read_proc_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return "";
  }
  std::array<char, 1024> buffer{};
  const ssize_t length = read(descriptor, buffer.data(), buffer.size());
  close(descriptor);
  return length <= 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(length));
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), &closedir);
  if (folder == nullptr) {
    return processes;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this DIR is used by one thread
  while (const dirent* entry = readdir(folder.get())) {
    const auto pid = parse_whole<pid_t>(entry->d_name);
    ProcessInfo process;
    if (pid && read_process(*pid, process)) {
      processes.push_back(std::move(process));
    }
  }
  return processes;
}

// Kernels before 5.3 have no process descriptors: there the moment between look and kill remains.
void signal_by_id(const ProcessInfo& process, int signal) {
  ProcessInfo now;
  if (read_process(process.pid, now) && now == process) {
    kill(process.pid, signal);
  }
}

}  // namespace

bool parse_process_stat(const std::string& text, ProcessInfo& process) {
  // "pid (name) state ppid ...": the name may hold spaces and brackets, so it ends at the last one.
  const std::size_t name_begin = text.find('(');
  const std::size_t name_end = text.rfind(')');
  if (name_begin == std::string::npos || name_end == std::string::npos || name_end < name_begin) {
    return false;
  }
  std::istringstream head(text.substr(0, name_begin));
  std::istringstream tail(text.substr(name_end + 1));
  constexpr int fields_between = 17;  // after ppid (4th) up to starttime (22nd), proc(5)
  head >> process.pid;
  tail >> process.state >> process.parent;
  std::string ignored;
  for (int field = 0; field < fields_between; ++field) {
    tail >> ignored;
  }
  tail >> process.start_ticks;
  process.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  return !head.fail() && !tail.fail();
}

bool read_process(pid_t pid, ProcessInfo& process) {
  return parse_process_stat(read_proc_file("/proc/" + std::to_string(pid) + "/stat"), process);
}

std::vector<ProcessInfo> descendants(pid_t root) {
  std::vector<ProcessInfo> rest = all_processes();
  std::vector<ProcessInfo> found;
  std::vector<pid_t> parents{root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    const pid_t parent = parents[next];
    const auto split = std::partition(rest.begin(), rest.end(), [parent](const ProcessInfo& one) {
      return one.parent != parent;
    });
    for (auto child = split; child != rest.end(); ++child) {
      parents.push_back(child->pid);
      found.push_back(std::move(*child));
    }
    rest.erase(split, rest.end());
  }
  return found;
}

std::vector<ProcessInfo> marked_processes(const std::string& entry) {
  std::vector<ProcessInfo> found = all_processes();
  for (pid_t id = getpid(); id > 0;) {
    const auto ours = std::find_if(
        found.begin(), found.end(), [id](const ProcessInfo& process) { return process.pid == id; });
    id = ours == found.end() ? 0 : ours->parent;
    if (ours != found.end()) {
      found.erase(ours);
    }
  }
  const std::string wanted = '\0' + entry + '\0';
  std::erase_if(found, [&wanted](const ProcessInfo& process) {
    return ('\0' + read_environment(process.pid)).find(wanted) == std::string::npos;
  });
  return found;
}

void send_signal(const ProcessInfo& process, int signal) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (descriptor < 0) {
    if (errno == ENOSYS) {
      signal_by_id(process, signal);
    }
    return;
  }
  // The descriptor is held first and the identity checked second, so the id cannot change hands.
  ProcessInfo now;
  if (read_process(process.pid, now) && now == process) {
    syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0);
  }
  close(descriptor);
}

Ending::Ending(double grace_s, unsigned long long since_ticks)
    : kill_at_s_(SystemClock().monotonic_s() + grace_s), since_ticks_(since_ticks) {}

std::vector<ProcessInfo> Ending::step() {
  std::vector<ProcessInfo> alive = descendants(getpid());
  const auto is_older = [this](const ProcessInfo& process) {
    return process.start_ticks < since_ticks_;
  };
  alive.erase(std::remove_if(alive.begin(), alive.end(), is_older), alive.end());
  step(alive);
  return alive;
}

void Ending::step(const std::vector<ProcessInfo>& alive) {
  const bool must_kill = SystemClock().monotonic_s() >= kill_at_s_;
  for (const ProcessInfo& process : alive) {
    if (must_kill) {
      send_signal(process, SIGKILL);
    } else if (std::find(asked_.begin(), asked_.end(), process) == asked_.end()) {
      send_signal(process, SIGTERM);
      send_signal(process, SIGCONT);  // a stopped process sees TERM only when it goes on
      asked_.push_back(process);
    }
  }
}

}  // namespace scalestudy

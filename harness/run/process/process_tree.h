// Finds and ends the processes below one process, and no others.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace scalestudy {

// One process as /proc showed it. `start_ticks` tells it from a later process with the same id.
struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // R, S, D, T, Z ...
  unsigned long long start_ticks = 0;
  std::string name;

  bool operator==(const ProcessInfo& other) const {
    return pid == other.pid && start_ticks == other.start_ticks;
  }
};

// One line of /proc/<pid>/stat. False when it is not one.
bool parse_process_stat(const std::string& text, ProcessInfo& process);

// The process with that id as it is now; false when there is none.
bool read_process(pid_t pid, ProcessInfo& process);

// Everything below `root`, zombies included, from one pass over /proc by parent ids (the file
// /proc/<pid>/task/<tid>/children is not in every kernel). A process whose parent dies during the
// pass can be missed: call again. Complete only when `root` is a subreaper, which orphans fall to.
std::vector<ProcessInfo> descendants(pid_t root);

// Those, of any parent, that were started with `entry` ("NAME=value") in their environment, as far
// as this user may see it; the calling process and its ancestors are not among them.
std::vector<ProcessInfo> marked_processes(const std::string& entry);

// Sends `signal` to that very process; nothing happens when it is gone, even if its id is in use
// again.
void send_signal(const ProcessInfo& process, int signal);

// Ends processes, the descendants of the calling one unless told which: TERM once to each, KILL
// after the grace.
class Ending {
 public:
  // since_ticks  start of the first process that is ours to end; older descendants are left alone.
  Ending(double grace_s, unsigned long long since_ticks);

  // Signals what is alive now; call again until nothing is. Returns what it saw, zombies included.
  std::vector<ProcessInfo> step();

  // The same for processes that the caller has found.
  void step(const std::vector<ProcessInfo>& alive);

 private:
  double kill_at_s_;
  unsigned long long since_ticks_;
  std::vector<ProcessInfo> asked_;  // got TERM
};

}  // namespace scalestudy

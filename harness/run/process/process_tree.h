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

// Reads `text`, the line of /proc/<pid>/stat, into `process`; false when it is no such line.
bool parse_process_stat(const std::string& text, ProcessInfo& process);

// Reads the process `pid` as it is now into `process`; false when there is none.
bool read_process(pid_t pid, ProcessInfo& process);

// The processes below `root`, zombies included, from one pass over /proc by parent ids (the file
// /proc/<pid>/task/<tid>/children is not in every kernel). A process whose parent dies during the
// pass can be missed: call again. Complete only when `root` is a subreaper, which orphans fall to.
std::vector<ProcessInfo> descendants(pid_t root);

// Processes, of any parent, that were started with `entry` ("NAME=value") in their environment, as
// far as this user may see it; the calling process and its ancestors are not among them.
std::vector<ProcessInfo> marked_processes(const std::string& entry);

// Sends `signal` to that very process; nothing happens when it is gone, even if its id is in use
// again.
void send_signal(const ProcessInfo& process, int signal);

// Ends processes: TERM once to each, KILL after the grace. They are the descendants of the calling
// process unless step() is told which.
class Ending {
 public:
  // - since_ticks: start of the first process that is ours to end; older descendants stay.
  Ending(double grace_s, unsigned long long since_ticks);

  // Signals the descendants that are alive; call it until there are none. Returns all that it saw,
  // zombies included.
  std::vector<ProcessInfo> step();

  // Signals `alive`, processes that the caller has found.
  void step(const std::vector<ProcessInfo>& alive);

 private:
  double kill_at_s_;
  unsigned long long since_ticks_;
  std::vector<ProcessInfo> asked_;  // processes that were sent TERM
};

}  // namespace scalestudy

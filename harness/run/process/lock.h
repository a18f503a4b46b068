// One writer per results folder: a lock file that names its holder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace scalestudy {

// The lock of a results folder, held while the object lives. If the process dies, however it dies,
// the kernel releases it.
class RunLock {
 public:
  // Creates `results` if missing and takes `results/lock`. Waits up to 15 s for the trial of a
  // killed run to end. Throws Error{kLocked} naming the holder's pid, host and start time if
  // another process has it; Error{kStore} if the folder is not writable.
  explicit RunLock(const std::filesystem::path& results);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

// The run that goes on in a results folder, as it names itself.
struct LockHolder {
  std::string name;   // "pid 4711 on node3 since 2026-11-22T01:02:03Z"
  std::string since;  // UTC
};

// The holder of the lock of `results`. Absent when no run goes on, while the remains of a killed
// run are still being ended, and when the lock cannot be read.
std::optional<LockHolder> lock_holder(const std::filesystem::path& results);

}  // namespace scalestudy

// One writer per results folder: a lock file that names its holder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace scalestudy {

// Held while the object lives; the kernel releases it when the process dies, however it dies.
class RunLock {
 public:
  // Creates `results` when missing and takes `results/lock`. Throws Error{kLocked} naming the
  // holder's pid, host and start time when another process has it; Error{kStore} when the folder is
  // not writable.
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

// Absent when no run goes on, also while what a killed one left is still being ended, or when
// nobody can know.
std::optional<LockHolder> lock_holder(const std::filesystem::path& results);

}  // namespace scalestudy

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

  // Tells who asks (lock_holder) that the run of this study waits for the machine; "": no longer.
  // Waiting that cannot be told is not an error.
  void tell_waiting(const std::string& study) const;

 private:
  // Returns whether the file now has this text alone.
  [[nodiscard]] bool write(const std::string& text) const;

  int descriptor_ = -1;
  std::string holder_;  // the first line of the file
};

// The run that goes on in a results folder, as it names itself.
struct LockHolder {
  std::string name;     // "pid 4711 on node3 since 2026-11-22T01:02:03Z"
  std::string since;    // UTC
  std::string waiting;  // the study whose run waits for the machine; "" if none does
};

// The holder of the lock of `results`. Absent when no run goes on, while the remains of a killed
// run are still being ended, and when the lock cannot be read.
std::optional<LockHolder> lock_holder(const std::filesystem::path& results);

}  // namespace scalestudy

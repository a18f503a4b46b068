// One writer per results folder: a lock file that names its holder.
#pragma once

#include <filesystem>

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

}  // namespace scalestudy

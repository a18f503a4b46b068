// Launches trials as real processes under a supervisor.
#pragma once

#include <filesystem>
#include <string>

#include "harness/run/process/launcher.h"

namespace scalestudy {

// The calling process must have one thread while launch() starts: it forks and the child goes on
// without exec. The supervisor (supervisor.h) inherits the harness's run lock: after a kill -9
// of the harness the results folder stays locked until the trial's last process is gone.
class ProcessLauncher final : public Launcher {
 public:
  // - grace_s: seconds between TERM and KILL.
  explicit ProcessLauncher(double grace_s = 8.0) : grace_s_(grace_s) {}

  LaunchResult launch(const LaunchRequest& request, const std::atomic<bool>& stop) override;

 private:
  double grace_s_;
};

// What the trials of a results folder carry in their environment as SCALESTUDY_STORE: its path, and
// its inode, as another machine's container may have the path too. Throws Error if the folder is
// gone.
std::string store_mark(const std::filesystem::path& results);

// Ends what is left of the trials of a run whose harness and supervisor were killed together. For
// the holder of the folder's lock, before its first trial. Returns how many processes there were.
int end_leftovers(const std::filesystem::path& results, double grace_s = 8.0);

}  // namespace scalestudy

// One run at a time on each CPU and GPU of a machine, whatever results folders they write to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// The folder of device locks, one for the whole machine: $SCALESTUDY_LOCKS; else below /run/lock if
// all users may write there; else below /tmp. Containers see each other's locks if they share it.
std::filesystem::path device_lock_folder();

// Locks on the devices of one run, held while the object lives. If the process dies, the kernel
// releases them once the rest of its running trial has ended, too.
class DeviceLocks {
 public:
  explicit DeviceLocks(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~DeviceLocks();
  DeviceLocks(const DeviceLocks&) = delete;
  DeviceLocks& operator=(const DeviceLocks&) = delete;

  // Takes the locks of all `devices`, or none of them.
  // - devices: names of lock files: "cpu-3", "gpu-GPU-6f1c...".
  // - holder: how this run names itself to another that wants the devices.
  // - returns: the first device that another run holds, and how that run names itself: "cpu-3: pid
  //   4711 ..."; absent when all are taken.
  std::optional<std::string> take(const std::vector<std::string>& devices,
                                  const std::string& holder);

  // Why locks cannot be taken or seen here (their folder is not writable, say); "" if they can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void let_go();
  int open_lock(const std::filesystem::path& path);

  std::filesystem::path folder_;
  std::vector<int> descriptors_;
  std::string problem_;
};

}  // namespace scalestudy

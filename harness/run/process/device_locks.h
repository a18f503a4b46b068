// One run at a time on each CPU and GPU of a machine, whatever results folders they write to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// The machine's folder for them: $SCALESTUDY_LOCKS; else below /run/lock where all users may write
// to that, else below /tmp. Containers see each other's locks where they share it.
std::filesystem::path device_lock_folder();

// Files that are locked while the object lives; the kernel lets go of them when the process dies,
// once what it left of a running trial has been ended, too.
class DeviceLocks {
 public:
  explicit DeviceLocks(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~DeviceLocks();
  DeviceLocks(const DeviceLocks&) = delete;
  DeviceLocks& operator=(const DeviceLocks&) = delete;
  DeviceLocks(DeviceLocks&&) = delete;
  DeviceLocks& operator=(DeviceLocks&&) = delete;

  // Takes all of them, or none.
  //   devices  names of files: "cpu-3", "gpu-GPU-6f1c...".
  //   holder   what another run will say of this one.
  //   returns  the first that another run has, and what it says of itself: "cpu-3: pid 4711 ...";
  //            absent when they are taken.
  std::optional<std::string> take(const std::vector<std::string>& devices,
                                  const std::string& holder);

  // Why a lock cannot be taken or seen here (a folder that may not be written); "" for nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void let_go();
  int open_lock(const std::filesystem::path& path);

  std::filesystem::path folder_;
  std::vector<int> descriptors_;
  std::string problem_;
};

}  // namespace scalestudy

// The three files of a trial while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/run/process/launcher.h"

namespace scalestudy {

// Notices when none of them has changed its size, and when one grows without end.
class FileWatch {
 public:
  explicit FileWatch(const LaunchRequest& request);

  // The first that is too long; "" for none.
  [[nodiscard]] std::string too_long() const;

  // Takes the end of such files away, so that a writer who is slow to end fills no disk.
  void cut() const;

  double silent_for_s();

 private:
  std::array<std::filesystem::path, 3> paths_;
  std::array<std::intmax_t, 3> sizes_{};
  std::int64_t most_bytes_;
  double changed_at_s_;
};

}  // namespace scalestudy

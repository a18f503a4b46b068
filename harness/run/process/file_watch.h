// The three files of a trial while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/run/process/launcher.h"

namespace scalestudy {

// Notices when no file of the trial grows any more, and when one grows without end.
class FileWatch {
 public:
  explicit FileWatch(const LaunchRequest& request);

  // The name of the first file over LaunchRequest::most_bytes; "" if none is.
  [[nodiscard]] std::string too_long() const;

  // Cuts files that are too long back to most_bytes: a writer that is slow to end fills no disk.
  void cut() const;

  // How stdout and stderr grew at the calls of silent_for_s(), at most some thousand times each.
  [[nodiscard]] const std::vector<LogGrowth>& out_growth() const { return growth_[0]; }
  [[nodiscard]] const std::vector<LogGrowth>& err_growth() const { return growth_[1]; }

  // Seconds since some file last changed its size, or since the watch began.
  double silent_for_s();

 private:
  std::array<std::filesystem::path, 3> paths_;
  std::array<std::intmax_t, 3> sizes_{};
  std::array<std::vector<LogGrowth>, 2> growth_;
  std::int64_t looks_ = 0;
  std::int64_t most_bytes_;
  double changed_at_s_;
};

}  // namespace scalestudy

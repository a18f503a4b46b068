#include "harness/run/process/file_watch.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"

namespace scalestudy {

FileWatch::FileWatch(const LaunchRequest& request)
    : paths_{request.stdout_path, request.stderr_path, request.output_path},
      most_bytes_(request.most_bytes),
      changed_at_s_(SystemClock().monotonic_s()) {}

std::string FileWatch::too_long() const {
  const auto* const found =
      std::ranges::find_if(sizes_, [this](auto size) { return size > most_bytes_; });
  return found == sizes_.end()
             ? ""
             : paths_.at(static_cast<std::size_t>(found - sizes_.begin())).filename().string();
}

void FileWatch::cut() const {
  for (const std::filesystem::path& path : paths_) {
    const int file = open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
      continue;
    }
    struct stat status {};
    if (fstat(file, &status) == 0 && status.st_nlink == 1 && status.st_size > most_bytes_) {
      [[maybe_unused]] const int ignored = ftruncate(file, most_bytes_);
    }
    close(file);
  }
}

double FileWatch::silent_for_s() {
  constexpr std::size_t most_growths = 4096;
  ++looks_;
  std::array<std::intmax_t, 3> sizes{};
  for (std::size_t file = 0; file < paths_.size(); ++file) {
    struct stat status {};
    sizes.at(file) = stat(paths_.at(file).c_str(), &status) == 0 ? status.st_size : -1;
  }
  if (sizes != sizes_) {
    changed_at_s_ = SystemClock().monotonic_s();
    for (std::size_t file = 0; file < growth_.size(); ++file) {
      if (sizes.at(file) > sizes_.at(file) && growth_.at(file).size() < most_growths) {
        growth_.at(file).push_back({changed_at_s_, sizes.at(file), looks_});
      }
    }
    sizes_ = sizes;
  }
  return SystemClock().monotonic_s() - changed_at_s_;
}

}  // namespace scalestudy

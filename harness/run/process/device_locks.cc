#include "harness/run/process/device_locks.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/read_environment.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kAnybody = 0666;
constexpr mode_t kAnybodysFolder = 01777;

bool is_anybodys(const fs::path& folder) {
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_mode & kAnybodysFolder) == kAnybodysFolder;
}

// What the holder wrote; another user's run cannot always.
std::string read_device_holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t length = pread(descriptor, text.data(), text.size(), 0);
  const std::string holder(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0U);
  return holder.empty() ? "a run that has not written its name" : printable(holder);
}

}  // namespace

fs::path device_lock_folder() {
  if (const std::string given = environment_variable("SCALESTUDY_LOCKS"); !given.empty()) {
    return given;
  }
  return fs::path(is_anybodys("/run/lock") ? "/run/lock" : "/tmp") / "scalestudy";
}

DeviceLocks::~DeviceLocks() {
  let_go();
}

void DeviceLocks::let_go() {
  for (const int descriptor : descriptors_) {
    close(descriptor);
  }
  descriptors_.clear();
}

// Below 0 with why in problem_. Who else's file it is may be read at least, which flock(2) is
// content with. It is not made where it is: with fs.protected_regular Linux refuses that to others
// than its owner.
int DeviceLocks::open_lock(const fs::path& path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int descriptor = -1;
  for (const int how : {O_RDWR, O_RDONLY, O_RDWR | O_CREAT | O_EXCL, O_RDWR}) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): the interface of open(2)
    descriptor = open(path.c_str(), how | flags, kAnybody);
    if (descriptor >= 0) {
      if ((how & O_CREAT) != 0) {
        fchmod(descriptor, kAnybody);  // whatever the umask
      }
      break;
    }
  }
  struct stat status {};
  if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(descriptor);
    descriptor = -1;
    errno = EINVAL;
  }
  if (descriptor < 0) {
    problem_ = path.string() + ": " + std::system_category().message(errno);
  }
  return descriptor;
}

std::optional<std::string> DeviceLocks::take(const std::vector<std::string>& devices,
                                             const std::string& holder) {
  std::error_code error;
  problem_.clear();
  if (fs::create_directories(folder_, error)) {
    chmod(folder_.c_str(), kAnybodysFolder);
  }
  for (const std::string& device : devices) {
    const int descriptor = open_lock(folder_ / device);
    if (descriptor < 0) {
      continue;
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      std::string other = device + ": " + read_device_holder(descriptor);
      close(descriptor);
      if (reason == EWOULDBLOCK) {
        let_go();
        return other;
      }
      problem_ = (folder_ / device).string() + ": " + std::system_category().message(reason);
      continue;
    }
    [[maybe_unused]] const bool is_written =
        ftruncate(descriptor, 0) == 0 && pwrite(descriptor, holder.data(), holder.size(), 0) > 0;
    descriptors_.push_back(descriptor);
  }
  return std::nullopt;
}

}  // namespace scalestudy

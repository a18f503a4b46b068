#include "harness/base/replace_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.h"

namespace scalestudy {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kAnybodysFile = 0666;  // less what the umask takes

const char* advice_for(int error) {
  switch (error) {
    case ENAMETOOLONG:
      return "choose a folder with a shorter path, or shorter names";
    case EACCES:
    case EPERM:
      return "get the right to write there, or choose another folder";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free space or raise your limit, or choose another folder";
    case EROFS:
      return "choose a folder on a file system that is not read-only";
    case ENOENT:
      return "make its folder first, or choose another";
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case ENOTEMPTY:
      return "something else has that name: remove it, or choose another folder";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EIO:
    case ESTALE:
      return "check the disk or the file server, or choose another folder";
    default:
      return "choose another folder";
  }
}

[[noreturn]] void fail_write(const fs::path& path, int error) {
  throw Error(ErrorKind::kStore, cannot_write(path, error));
}

}  // namespace

std::string cannot_write(const fs::path& path, int error) {
  return fmt::format("{}: cannot be written ({}); {}",
                     path.string(),
                     std::generic_category().message(error),
                     advice_for(error));
}

int overwrite(const fs::path& path, std::string_view content) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kAnybodysFile);
  if (descriptor < 0) {
    return errno;
  }
  int error = 0;
  while (!content.empty() && error == 0) {
    const ssize_t length = write(descriptor, content.data(), content.size());
    if (length >= 0) {
      content.remove_prefix(static_cast<std::size_t>(length));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(descriptor) != 0 && error == 0 && errno != EINTR) {
    error = errno;
  }
  return error;
}

bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

bool leads_through_link(const fs::path& folder, const fs::path& inside) {
  fs::path at = folder;
  for (const fs::path& part : inside.parent_path()) {
    at /= part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(at, ignored))) {
      return true;
    }
  }
  return false;
}

void require_no_link(const fs::path& folder, const fs::path& inside) {
  if (leads_through_link(folder, inside)) {
    throw Error(ErrorKind::kUsage,
                (folder / inside).string() +
                    ": lies elsewhere, behind a link in this folder; remove the link");
  }
}

void replace_file(const fs::path& path, const std::string& content) {
  std::error_code error;
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path(), error);
  }
  if (error) {
    fail_write(path.parent_path(), error.value());
  }
  const fs::path unfinished = path.string() + ".unfinished";
  fs::remove(unfinished, error);  // or a link of that name would be written through
  int reason = overwrite(unfinished, content);
  if (reason == 0) {
    fs::rename(unfinished, path, error);
    reason = error.value();
  }
  if (reason != 0) {
    fs::remove(unfinished, error);
    fail_write(path, reason);
  }
}

}  // namespace scalestudy

#include "harness/base/replace_file.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "harness/base/error.h"

namespace scalestudy {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_write(const fs::path& path, const std::string& reason) {
  throw Error(ErrorKind::kStore,
              path.string() + ": cannot be written (" + reason + "); choose another folder");
}

}  // namespace

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
  fs::create_directories(path.parent_path(), error);
  if (error) {
    fail_write(path.parent_path(), error.message());
  }
  const fs::path unfinished = path.string() + ".unfinished";
  fs::remove(unfinished, error);  // or a link of that name would be written through
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) {
    fs::remove(unfinished, error);
    fail_write(path, "no permission, or the disk is full");
  }
  fs::rename(unfinished, path, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(unfinished, error);
    fail_write(path, reason);
  }
}

}  // namespace scalestudy

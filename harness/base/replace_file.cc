#include "harness/base/replace_file.h"

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

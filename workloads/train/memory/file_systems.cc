#include "workloads/train/memory/file_systems.h"

#include <system_error>

#include <linux/magic.h>
#include <sys/vfs.h>

namespace scalestudy::train {

namespace fs = std::filesystem;

fs::path existing_part(const fs::path& path) {
  std::error_code ignored;
  fs::path there = fs::absolute(path, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) {
    there = there.parent_path();
  }
  return there;
}

bool is_in_memory(const fs::path& path) {
  struct statfs mounted {};
  return ::statfs(existing_part(path).c_str(), &mounted) == 0 &&
         (mounted.f_type == TMPFS_MAGIC || mounted.f_type == RAMFS_MAGIC);
}

}  // namespace scalestudy::train

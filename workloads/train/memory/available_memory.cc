#include "workloads/train/memory/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "workloads/cuda/backend.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

// How a version of control groups names things.
struct Hierarchy {
  const char* controller;
  const char* limit;
  const char* used;
  const char* inactive_file;  // in memory.stat
};

constexpr Hierarchy kVersion1 = {
    "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Hierarchy kVersion2 = {"", "memory.max", "memory.current", "inactive_file"};

// The number behind `key` in a file of "key number" lines; the file's first when `key` is empty.
std::optional<std::size_t> read_number(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (key.empty() || file >> word) {
    std::size_t number = 0;
    if (key.empty() || word == key) {
      return file >> number ? std::optional(number) : std::nullopt;
    }
  }
  return std::nullopt;
}

// This process's group, "/user.slice/job"; its lines are "number:controller,controller:path".
std::optional<std::string> find_group(const fs::path& root, const std::string& controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty()
            ? controllers.empty()
            : ("," + controllers + ",").find("," + controller + ",") != std::string::npos) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> least(std::optional<std::size_t> a, std::optional<std::size_t> b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

// Absent without a limit: version 2 writes "max" then, version 1 a number near 2^63.
std::optional<std::size_t> left_in(const fs::path& group, const Hierarchy& names) {
  const std::optional<std::size_t> limit = read_number(group / names.limit, "");
  const std::optional<std::size_t> used = read_number(group / names.used, "");
  if (!limit || !used) {
    return std::nullopt;
  }
  const std::size_t cached =
      read_number(group / "memory.stat", names.inactive_file).value_or(std::size_t{0});
  const std::size_t held = *used - std::min(cached, *used);
  return *limit - std::min(held, *limit);
}

// Of the group and all above it. In a container the path may be one that only its host can see:
// the mount's own top is what counts then.
std::optional<std::size_t> left_in_groups(const fs::path& root, const Hierarchy& names) {
  const std::optional<std::string> group = find_group(root, names.controller);
  if (!group) {
    return std::nullopt;
  }
  const fs::path mount = root / "sys/fs/cgroup" / names.controller;
  std::optional<std::size_t> left = left_in(mount, names);
  for (fs::path at = fs::path(*group).relative_path(); !at.empty(); at = at.parent_path()) {
    left = least(left, left_in(mount / at, names));
  }
  return left;
}

}  // namespace

std::optional<std::size_t> available_memory_bytes(const fs::path& root) {
  std::optional<std::size_t> available = read_number(root / "proc/meminfo", "MemAvailable:");
  if (available) {
    *available *= 1024;
  }
  return least(available, least(left_in_groups(root, kVersion1), left_in_groups(root, kVersion2)));
}

std::optional<double> device_memory_bytes(const Options& options) {
  if (options.device_memory_bytes || options.backend == Backend::kCpu) {
    return options.device_memory_bytes;
  }
  try {
    return static_cast<double>(cuda::load_backend().facts(0).memory_bytes);
  } catch (const rank::WorkloadError&) {
    return std::nullopt;
  }
}

}  // namespace scalestudy::train

// Limits and counters of the cgroups this process is in, versions 1 and 2.
#include <charconv>

#include "harness/base/read_file.h"
#include "harness/host/proc_text.h"
#include "harness/host/system_machine.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// The folder of this process's group in a hierarchy and those above it, innermost first. Inside a
// container the path may be one that only the host can see; then the mount's own top is what
// counts.
std::vector<fs::path> group_folders(const fs::path& root, const std::string& controller) {
  const auto path = find_cgroup(read_system_file(root / "proc/self/cgroup"), controller);
  std::vector<fs::path> folders;
  const fs::path mount = root / "sys/fs/cgroup" / controller;
  if (!path) {
    return folders;
  }
  for (fs::path at = fs::path(*path).relative_path(); !at.empty(); at = at.parent_path()) {
    folders.push_back(mount / at);
  }
  folders.push_back(mount);
  return folders;
}

void keep_least(std::optional<double>& least, std::optional<double> value) {
  if (value && (!least || *value < *least)) {
    least = value;
  }
}

std::optional<double> read_bytes(const fs::path& file) {
  // v1 writes "no limit" as a number near 2^63, v2 as "max".
  constexpr double no_limit = 9e18;
  const std::string text = read_system_file(file);
  double bytes = 0.0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (parsed.ec != std::errc{} || bytes >= no_limit) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::optional<double> cpu_limit(const fs::path& root) {
  std::optional<double> limit;
  for (const fs::path& folder : group_folders(root, "")) {
    keep_least(limit, parse_cpu_max(read_system_file(folder / "cpu.max")));
  }
  for (const fs::path& folder : group_folders(root, "cpu")) {
    keep_least(limit,
               parse_cpu_max(read_system_file(folder / "cpu.cfs_quota_us") + " " +
                             read_system_file(folder / "cpu.cfs_period_us")));
  }
  return limit;
}

std::optional<double> memory_limit_bytes(const fs::path& root) {
  std::optional<double> limit;
  for (const fs::path& folder : group_folders(root, "")) {
    keep_least(limit, read_bytes(folder / "memory.max"));
  }
  for (const fs::path& folder : group_folders(root, "memory")) {
    keep_least(limit, read_bytes(folder / "memory.limit_in_bytes"));
  }
  return limit;
}

std::optional<std::int64_t> SystemMachine::oom_kills() {
  for (const auto& [controller, name] :
       {std::pair{"", "memory.events"}, std::pair{"memory", "memory.oom_control"}}) {
    for (const fs::path& folder : group_folders(root_, controller)) {
      if (const auto count = find_count(read_system_file(folder / name), "oom_kill")) {
        return count;
      }
    }
  }
  return find_count(read_system_file(root_ / "proc/vmstat"), "oom_kill");
}

}  // namespace scalestudy

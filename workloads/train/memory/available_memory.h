// The memory that the machine and this process's control groups can still give.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace scalestudy::train {

// Bytes: MemAvailable of /proc/meminfo, or what is left of the limit of a control group this
// process is in (version 1 or 2), whichever is less. Cached files that the kernel gives up on
// demand (inactive_file) count as left. nullopt when none of them can be read.
//   root  where proc/ and sys/ are
std::optional<std::size_t> available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace scalestudy::train

// The memory that the machine and this process's control groups can still give.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Bytes: MemAvailable of /proc/meminfo, or what is left of the limit of a control group this
// process is in (version 1 or 2), whichever is less. Cached files that the kernel gives up on
// demand (inactive_file) count as left. nullopt when none of them can be read.
//   root  where proc/ and sys/ are
std::optional<std::size_t> available_memory_bytes(const std::filesystem::path& root = "/");

// Bytes of a device: of device_memory_gb, or of this machine's first GPU on backend cuda. nullopt
// for CPU cores without it, and if there is no GPU or no backend for it.
std::optional<double> device_memory_bytes(const Options& options);

}  // namespace scalestudy::train

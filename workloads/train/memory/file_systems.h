// Whether what is written to a folder takes memory.
#pragma once

#include <filesystem>

namespace scalestudy::train {

// The longest part of a path that exists, absolute: the path itself or a folder above it.
std::filesystem::path existing_part(const std::filesystem::path& path);

// Whether files written to this path, which need not exist yet, are kept in memory alone (tmpfs,
// ramfs). False if the system cannot tell.
bool is_in_memory(const std::filesystem::path& path);

}  // namespace scalestudy::train

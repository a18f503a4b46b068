// What kind of file system holds a path, as far as SQLite's journal depends on it.
#pragma once

#include <filesystem>

namespace scalestudy {

// By statfs's magic number. Network file systems lack the shared memory that WAL needs between
// hosts. FUSE counts as one: sshfs and most cluster clients look like that.
bool is_network_filesystem(unsigned long magic);

// Of the file system that holds `path`, which exists. False when it cannot be told.
bool is_on_network_filesystem(const std::filesystem::path& path);

}  // namespace scalestudy

// Detects network file systems, on which SQLite needs another journal.
#pragma once

#include <filesystem>

namespace scalestudy {

// Whether statfs's magic number is a network file system's, which lacks the shared memory that WAL
// needs between hosts. FUSE counts as one: sshfs and most cluster clients use it.
bool is_network_filesystem(unsigned long magic);

// Whether `path`, which must exist, is on a network file system; false if that cannot be found out.
bool is_on_network_filesystem(const std::filesystem::path& path);

}  // namespace scalestudy

// The files of a checkpoint: blocks of memory that are on storage once a function has written them,
// and are verified when they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace scalestudy::train {

// The size and hash of what a file must hold.
struct FileSum {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  // add_to_hash() of each block, one after another (parameter_hash.h)

  bool operator==(const FileSum&) const = default;
};

// Holds a lock on a folder: no other process writes checkpoints to it meanwhile.
class FolderLock {
 public:
  // Locks the file `lock` in the folder, which stays there. Waits 2 s for a process that ends.
  // Throws WorkloadError: (usage) another process keeps the lock, (failed) the file cannot be made.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

using Blocks = std::vector<std::span<std::byte>>;

// The sum of a file to which these blocks are added after `before`.
FileSum sum_of(const Blocks& blocks, FileSum before = {});

// Writes the blocks to `path` after its first `kept` bytes, in place of what is there, and syncs
// the file. Throws WorkloadError (failed) with the system's words if it cannot be written, e.g. on
// a full file system.
void write_blocks(const std::filesystem::path& path, const Blocks& blocks, std::uint64_t kept = 0);

// Syncs a folder, so that entries made, renamed or removed are on storage. Throws as
// write_blocks().
void sync_folder(const std::filesystem::path& path);

// Reads the blocks from `path`. Throws WorkloadError (usage) if the file is missing, cannot be
// read, has another length or other content than `sum` says, or does not fill the blocks.
// - is_begin: the sum is that of the file's start, and the file may be longer.
void read_blocks(const std::filesystem::path& path,
                 const Blocks& blocks,
                 const FileSum& sum,
                 bool is_begin = false);

// Pages of a file, and how many of them the page cache holds (mincore); 0 if that cannot be asked.
struct Pages {
  std::uint64_t all = 0;
  std::uint64_t cached = 0;

  // Absent without pages.
  std::optional<double> cached_share() const {
    return all == 0 ? std::nullopt
                    : std::optional(static_cast<double>(cached) / static_cast<double>(all));
  }
};
Pages pages_of(const std::filesystem::path& path);

// Asks the system to take a file out of the page cache (POSIX_FADV_DONTNEED); a file system in
// memory keeps it.
void drop_pages(const std::filesystem::path& path);

}  // namespace scalestudy::train

// Memory of this process that the other processes of its machine can map and read in place.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace scalestudy::device {

// Bytes of a file in this process's addresses, at a multiple of a huge page if they fill one.
class Mapping {
 public:
  // - offset: of the first byte in the file; a multiple of a huge page if they fill one, else of
  //   4096.
  // - throws: std::bad_alloc.
  Mapping(int file, std::size_t offset, std::size_t bytes);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* reserved_;
  std::size_t reserved_bytes_;
  std::byte* data_;
  std::size_t bytes_;
};

// Blocks in one file of memory without a name: however the process ends, nothing of it is left, and
// the size of /dev/shm does not limit it. Others open it as /proc/PID/fd/FILE.
class SharedMemory {
 public:
  // Throws WorkloadError (unsupported) if the system has no such files.
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Zeroed bytes at a multiple of 4096. Throws std::bad_alloc.
  std::byte* allocate(std::size_t bytes);
  // Gives the memory of a block back, in the processes that have mapped it too.
  void release(void* block) noexcept;

  // Where the byte at an address is in the file. Throws std::logic_error if it is in no block.
  std::size_t place_of(const void* address) const;

  int file() const { return file_; }

 private:
  struct Block {
    std::size_t place;
    std::unique_ptr<Mapping> mapping;
  };

  int file_;
  std::size_t end_ = 0;  // of the file
  std::map<const std::byte*, Block> blocks_;
};

}  // namespace scalestudy::device

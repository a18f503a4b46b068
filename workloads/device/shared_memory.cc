#include "workloads/device/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::device {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHugeBytes = std::size_t{1} << 21U;
constexpr int kCollapse = 25;  // MADV_COLLAPSE since Linux 6.1, which glibc 2.36 does not name

std::size_t alignment_of(std::size_t bytes) {
  return bytes < kHugeBytes ? kPageBytes : kHugeBytes;
}

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

Mapping::Mapping(int file, std::size_t offset, std::size_t bytes)
    : reserved_bytes_(bytes + alignment_of(bytes)), bytes_(bytes) {
  // More addresses than needed, so that some of them are at a multiple.
  reserved_ =
      mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved_ == MAP_FAILED) {
    throw std::bad_alloc();
  }
  const auto address = reinterpret_cast<std::uintptr_t>(reserved_);
  data_ = static_cast<std::byte*>(reserved_) + (round_up(address, alignment_of(bytes)) - address);
  if (mmap(data_,
           bytes,
           PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED,
           file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    munmap(reserved_, reserved_bytes_);
    throw std::bad_alloc();
  }
}

Mapping::~Mapping() {
  munmap(reserved_, reserved_bytes_);
}

SharedMemory::SharedMemory() : file_(memfd_create("scalestudy", MFD_CLOEXEC)) {
  if (file_ < 0) {
    throw rank::WorkloadError(protocol::kExitUnsupported,
                              "comm shm needs files in memory, and memfd_create failed: " +
                                  std::generic_category().message(errno) + "; use comm mpi");
  }
}

SharedMemory::~SharedMemory() {
  close(file_);
}

std::byte* SharedMemory::allocate(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    throw std::bad_alloc();
  }
  const std::size_t length = round_up(std::max<std::size_t>(bytes, 1), kPageBytes);
  const std::size_t place = round_up(end_, alignment_of(length));
  // What the system refuses as memory of this process it refuses here. A file of that size would
  // take all memory before it failed.
  void* const asked =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (asked == MAP_FAILED) {
    throw std::bad_alloc();
  }
  munmap(asked, length);
  // Memory that the system lacks is an error here, and would be a signal where it is first touched.
  int failed = 0;
  do {
    failed = fallocate(file_, 0, static_cast<off_t>(place), static_cast<off_t>(length));
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) {
    throw std::bad_alloc();
  }
  auto mapping = std::make_unique<Mapping>(file_, place, length);
  end_ = place + length;
  // As for other memory of the CPU; where the system has no huge pages left, it keeps small ones.
  madvise(mapping->data(), bytes / kHugeBytes * kHugeBytes, kCollapse);
  std::byte* const data = mapping->data();
  blocks_.emplace(data, Block{place, std::move(mapping)});
  return data;
}

void SharedMemory::release(void* block) noexcept {
  const auto found = blocks_.find(static_cast<std::byte*>(block));
  if (found != blocks_.end()) {
    fallocate(file_,
              FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(found->second.place),
              static_cast<off_t>(found->second.mapping->bytes()));
    blocks_.erase(found);
  }
}

std::size_t SharedMemory::place_of(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  const auto after = blocks_.upper_bound(byte);
  if (after != blocks_.begin()) {
    const auto& [begin, block] = *std::prev(after);
    if (byte < begin + block.mapping->bytes()) {
      return block.place + static_cast<std::size_t>(byte - begin);
    }
  }
  throw std::logic_error("an address outside of shared memory");
}

}  // namespace scalestudy::device

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <sys/mman.h>

#include "tests/cuda/fake_gpu.h"

// NOLINTBEGIN(performance-no-int-to-ptr): addresses are what this is about
namespace scalestudy::test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeapBytes = 4 * kMemoryBytes;  // of addresses, most of them never used
constexpr std::size_t kOffset = 256;                  // of a block within its first page

void* reserve(std::size_t bytes) {
  void* const memory = mmap(
      nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return memory;
}

struct Heap {
  std::uintptr_t base = reinterpret_cast<std::uintptr_t>(reserve(kHeapBytes));
  Extent* extents = static_cast<Extent*>(reserve(kHeapBytes / kPage * sizeof(Extent)));  // a page
  std::mutex mutex;
  std::size_t used_bytes = 0;  // from base on
  std::size_t live_bytes = 0;
  std::map<std::size_t, std::vector<std::uintptr_t>> free;  // blocks of that many pages

  Extent& at(std::uintptr_t address) const { return extents[(address - base) / kPage]; }
};

Heap& heap() {
  static Heap heap;
  return heap;
}

std::size_t page_count(std::size_t bytes) {
  return (kOffset + bytes + kPage - 1) / kPage;
}

void set_extents(std::uintptr_t first_page, std::size_t pages, Extent extent) {
  Extent* const first = &heap().at(first_page);
  std::fill(first, first + pages, extent);
}

}  // namespace

void* allocate(std::size_t bytes) {
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  if (bytes > kMemoryBytes - std::min(kMemoryBytes, all.live_bytes)) {
    return nullptr;
  }
  const std::size_t pages = page_count(bytes);
  std::vector<std::uintptr_t>& reusable = all.free[pages];
  std::uintptr_t first = all.base + all.used_bytes;
  if (!reusable.empty()) {
    first = reusable.back();
    reusable.pop_back();
  } else if (pages * kPage > kHeapBytes - all.used_bytes) {
    return nullptr;
  } else {
    all.used_bytes += pages * kPage;
  }
  all.live_bytes += bytes;
  const std::uintptr_t begin = first + kOffset;
  set_extents(first, pages, {begin, begin + bytes});
  return reinterpret_cast<void*>(begin);
}

bool release(const void* block) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  if (!is_device_address(begin) || extent_at(begin).begin != begin) {
    return false;
  }
  Heap& all = heap();
  const std::lock_guard lock(all.mutex);
  const std::size_t bytes = extent_at(begin).end - begin;
  const std::size_t pages = page_count(bytes);
  const std::uintptr_t first = begin - kOffset;
  madvise(reinterpret_cast<void*>(first), pages * kPage, MADV_DONTNEED);
  set_extents(first, pages, {});
  all.live_bytes -= bytes;
  all.free[pages].push_back(first);
  return true;
}

// Whole pages are handed back instead, which costs next to nothing.
void clear(void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t end = begin + bytes;
  const std::uintptr_t first = std::min(end, (begin + kPage - 1) / kPage * kPage);
  const std::uintptr_t last = std::max(first, end / kPage * kPage);
  std::memset(block, 0, first - begin);
  if (last > first) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  std::memset(reinterpret_cast<void*>(last), 0, end - last);
}

bool is_device_address(std::uintptr_t address) {
  return address - heap().base < kHeapBytes;
}

Extent extent_at(std::uintptr_t device_address) {
  return heap().at(device_address);
}

bool is_on_device(const void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (!is_device_address(begin)) {
    return false;
  }
  const Extent extent = extent_at(begin);
  return begin >= extent.begin && begin <= extent.end && bytes <= extent.end - begin;
}

}  // namespace scalestudy::test
// NOLINTEND(performance-no-int-to-ptr)

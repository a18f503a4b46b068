#include "workloads/device/arena.h"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace scalestudy::device {

void* Arena::take_bytes(std::size_t count, std::size_t element_bytes) {
  if (sealed_) {
    throw std::logic_error("memory was asked for inside a step");
  }
  if (count > std::numeric_limits<std::size_t>::max() / element_bytes) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = count * element_bytes;
  std::unique_ptr<std::byte, Free> block(
      static_cast<std::byte*>(::operator new(bytes, kAlignment)));
  // Also touches every page: a page fault belongs to set-up, not to the first step.
  std::memset(block.get(), 0, bytes);
  blocks_.push_back(std::move(block));
  bytes_ += bytes;
  return blocks_.back().get();
}

}  // namespace scalestudy::device

#include "workloads/device/arena.h"

#include <limits>
#include <stdexcept>

namespace scalestudy::device {

Arena::~Arena() {
  for (void* block : blocks_) {
    device_.release(block);
  }
}

void* Arena::scratch() {
  // An arena that is never sealed, as in tests, gets its scratch memory when it is first used.
  if (scratch_taken_bytes_ < scratch_bytes_) {
    scratch_ = take_bytes(scratch_bytes_, 1);
    scratch_taken_bytes_ = scratch_bytes_;
  }
  return scratch_;
}

void Arena::seal() {
  scratch();
  sealed_ = true;
}

void* Arena::take_bytes(std::size_t count, std::size_t element_bytes) {
  if (sealed_) {
    throw std::logic_error("memory was asked for inside a step");
  }
  if (count > std::numeric_limits<std::size_t>::max() / element_bytes) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = count * element_bytes;
  blocks_.reserve(blocks_.size() + 1);
  blocks_.push_back(device_.allocate(bytes));
  bytes_ += bytes;
  return blocks_.back();
}

}  // namespace scalestudy::device

// All memory of one rank's model, taken at set-up, so that its peak is known exactly.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace scalestudy::device {

// Buffers live as long as the arena. Not thread-safe.
class Arena {
 public:
  // `count` zeroed elements, aligned to 4096 bytes so that no two buffers share a page.
  // Throws std::bad_alloc, and std::logic_error after seal().
  template <typename T>
  std::span<T> take(std::size_t count) {
    return {static_cast<T*>(take_bytes(count, sizeof(T))), count};
  }

  // From here on every take() is a defect: nothing is allocated inside a step.
  void seal() { sealed_ = true; }

  // What was asked for so far, without the alignment.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::align_val_t kAlignment{4096};
  struct Free {
    void operator()(std::byte* block) const { ::operator delete(block, kAlignment); }
  };

  void* take_bytes(std::size_t count, std::size_t element_bytes);

  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::size_t bytes_ = 0;
  bool sealed_ = false;
};

}  // namespace scalestudy::device

// All memory of one rank's model, taken at set-up, so that its peak is known exactly.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "workloads/device/device.h"

namespace scalestudy::device {

// Buffers live as long as the arena, which the device outlives. Not thread-safe.
class Arena {
 public:
  explicit Arena(Device& device) : device_(device) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // `count` zeroed elements of device memory, aligned to 4096 bytes so that no two buffers share a
  // page. Throws std::bad_alloc, and std::logic_error after seal().
  template <typename T>
  std::span<T> take(std::size_t count) {
    return {static_cast<T*>(take_bytes(count, sizeof(T))), count};
  }

  Device& device() const { return device_; }

  // From here on every take() is a defect: nothing is allocated inside a step.
  void seal() { sealed_ = true; }

  // What was asked for so far, without the alignment.
  std::size_t bytes() const { return bytes_; }

 private:
  void* take_bytes(std::size_t count, std::size_t element_bytes);

  Device& device_;
  std::vector<void*> blocks_;
  std::size_t bytes_ = 0;
  bool sealed_ = false;
};

}  // namespace scalestudy::device

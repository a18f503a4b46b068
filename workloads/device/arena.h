// All memory of one rank's model, taken at set-up, so that its peak is known exactly.
#pragma once

#include <algorithm>
#include <cstddef>
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

  // Reserves memory that operations share, because they run one after another: each reserves what
  // it needs at set-up and asks scratch() for the address in every run. Nothing in it outlives the
  // run.
  void reserve_scratch(std::size_t bytes) { scratch_bytes_ = std::max(scratch_bytes_, bytes); }
  void* scratch();

  Device& device() const { return device_; }

  // From here on every take() is a defect: nothing is allocated inside a step.
  void seal();

  // Bytes asked for so far, without the alignment.
  std::size_t bytes() const { return bytes_; }

 private:
  void* take_bytes(std::size_t count, std::size_t element_bytes);

  Device& device_;
  std::vector<void*> blocks_;
  std::size_t bytes_ = 0;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;        // reserved
  std::size_t scratch_taken_bytes_ = 0;  // at scratch_
  bool sealed_ = false;
};

}  // namespace scalestudy::device

// Copies on the host of blocks in a device's memory, for writing them to files and reading them.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "workloads/device/device.h"

namespace scalestudy::train {

class HostCopies {
 public:
  // device  outlives this.
  explicit HostCopies(device::Device& device) : device_(device) {}

  // The block as it is once queued work is done: a copy, which stays in place as long as this
  // lives; the block itself if the host can read the device's memory.
  template <typename T>
  std::span<T> of(std::span<T> block) {
    const std::span<std::byte> bytes = copy(std::as_writable_bytes(block));
    return {reinterpret_cast<T*>(bytes.data()), block.size()};
  }

  // Writes all copies back to their blocks.
  void put();

  // The time that copying took since the last call, s, without waiting for queued work.
  double take_time_s() { return std::exchange(time_s_, 0.0); }

 private:
  std::span<std::byte> copy(std::span<std::byte> block);

  device::Device& device_;
  std::map<std::byte*, std::vector<std::byte>> copies_;  // by the block they are from
  double time_s_ = 0.0;
};

}  // namespace scalestudy::train

// The place of an offloaded optimizer: memory of the host, and the operations on it.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"
#include "workloads/ops/ops.h"

namespace scalestudy::train {

// Destroyed from the last member on.
template <typename T>
struct HostSide {
  std::unique_ptr<device::Device> memory;  // pinned: a GPU copies from and to it
  std::unique_ptr<device::Arena> arena;
  std::unique_ptr<ops::Ops<T>> ops;
};

// Bytes of that memory for `count` parameters that a rank updates: their values in Real<T>,
// `moments` numbers of state for each, gradients on their way down, and 16-bit values on their way
// up.
template <typename T>
constexpr std::size_t host_side_bytes(std::size_t count, std::size_t moments) {
  const std::size_t rounded = std::is_same_v<T, device::Real<T>> ? 0 : sizeof(T);
  return count * (sizeof(device::Real<T>) * (1 + moments) + sizeof(T) + rounded);
}

}  // namespace scalestudy::train

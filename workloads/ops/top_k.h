// The largest of many gradients, as values and their places, and the residuals that are not sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"
#include "workloads/device/interface.h"

namespace scalestudy::ops {

// Bytes of a part with `sent` gradients: their values, then their places as 32-bit numbers without
// a gap (so that the places of 16-bit values may be aligned to 2 bytes only).
constexpr std::size_t top_k_part_bytes(std::size_t sent, std::size_t element_bytes) {
  return sent * (element_bytes + sizeof(std::uint32_t));
}

// Selects the largest gradients, out of fewer than 2^32 at once.
template <typename T>
class TopK : public device::Interface {
 public:
  // Adds the gradients to the residuals and writes the `sent` sums of largest magnitude to `part`,
  // rounded to T; among equal ones the first go first. Their residual becomes the rounding error.
  virtual void pack(std::span<const T> gradients,
                    std::span<device::Real<T>> residuals,
                    std::size_t sent,
                    std::byte* part) = 0;

  // Sets the gradients to the sums of the parts of all ranks, added in order of rank. In incomplete
  // parts (the control that sends one element) a place that names no gradient is ignored.
  virtual void unpack(const std::byte* parts,
                      std::size_t ranks,
                      std::size_t sent,
                      std::span<T> gradients) = 0;
};

// - most: gradients at once.
template <typename T>
std::unique_ptr<TopK<T>> make_cpu_top_k(std::size_t most, device::Arena& arena);

}  // namespace scalestudy::ops

// The largest of many gradients, as values and their places, and what stays behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"

namespace scalestudy::ops {

// Of a part of `sent` gradients: their values, behind which lie their places as 32-bit numbers,
// without a gap (so that places of 16-bit values may be aligned to 2 bytes).
constexpr std::size_t top_k_part_bytes(std::size_t sent, std::size_t element_bytes) {
  return sent * (element_bytes + sizeof(std::uint32_t));
}

// Fewer than 2^32 gradients at once.
template <typename T>
class TopK {
 public:
  TopK() = default;
  TopK(const TopK&) = delete;
  TopK& operator=(const TopK&) = delete;
  virtual ~TopK() = default;

  // Adds the gradients to the residuals. The `sent` largest sums in size, of equal ones the first,
  // are written to `part`, rounded to T, and leave what rounding took from them.
  virtual void pack(std::span<const T> gradients,
                    std::span<device::Real<T>> residuals,
                    std::size_t sent,
                    std::byte* part) = 0;

  // Gradients become the sums of what the parts of all ranks say, added in order of rank. Of parts
  // that are no whole ones (the control that sends one element) what names no gradient is left out.
  virtual void unpack(const std::byte* parts,
                      std::size_t ranks,
                      std::size_t sent,
                      std::span<T> gradients) = 0;
};

// most  gradients at once
template <typename T>
std::unique_ptr<TopK<T>> make_cpu_top_k(std::size_t most, device::Arena& arena);

}  // namespace scalestudy::ops

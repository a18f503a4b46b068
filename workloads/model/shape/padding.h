// Where tensors lie in the flat buffers of parameters and gradients: each begins at a multiple of
// 128 bytes, so that no kernel meets an operand it would have to copy, or read element by element.
#pragma once

#include <cstddef>

namespace scalestudy::model {

inline constexpr std::size_t kTensorAlignmentBytes = 128;

// Elements that a tensor of `count` elements takes, with the zeros after it; 0 for an empty one.
constexpr std::size_t padded_count(std::size_t count, std::size_t element_bytes) {
  const std::size_t step = kTensorAlignmentBytes / element_bytes;
  return (count + step - 1) / step * step;
}

template <typename T>
constexpr std::size_t padded_count(std::size_t count) {
  return padded_count(count, sizeof(T));
}

}  // namespace scalestudy::model

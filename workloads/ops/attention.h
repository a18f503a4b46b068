// Causal scaled dot-product attention of every head.
#pragma once

#include <cmath>
#include <cstddef>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

struct AttentionShape {
  std::size_t batch = 0;
  std::size_t tokens = 0;
  std::size_t heads = 0;
  std::size_t head_width = 0;
  bool has_rotary = false;  // rotary position embedding of queries and keys (LLaMA)
};

// The angle, in radians, by which rotary positions turn pair `pair` of head_width / 2 at a
// position.
inline double rotary_angle(std::size_t position, std::size_t pair, std::size_t head_width) {
  return static_cast<double>(position) *
         std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(head_width));
}

// Attention, prepared once and run every step.
// - qkv: (B, tokens, 3, heads, head_width), the output of one fused projection of each token.
// - y: (B, tokens, heads * head_width).
// - source: Vaswani et al., NeurIPS 2017, equation 1; rotary: Su et al., arXiv 2104.09864, halves
//   paired as in LLaMA, base 10000.
template <typename T>
class Attention : public device::Interface {
 public:
  // Keeps what backward() needs.
  virtual void forward(const T* qkv, T* y) = 0;
  virtual void backward(const T* qkv, const T* dy, T* dqkv) = 0;
};

}  // namespace scalestudy::ops

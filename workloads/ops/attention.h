// Scaled dot-product attention of every head, causal.
#pragma once

#include <cmath>
#include <cstddef>

namespace scalestudy::ops {

struct AttentionShape {
  std::size_t batch = 0;
  std::size_t tokens = 0;
  std::size_t heads = 0;
  std::size_t head_width = 0;
  bool has_rotary = false;  // rotary position embedding of queries and keys (LLaMA)
};

// How far rotary positions turn pair `pair` of head_width / 2 at a position, in radians.
inline double rotary_angle(std::size_t position, std::size_t pair, std::size_t head_width) {
  return static_cast<double>(position) *
         std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(head_width));
}

// qkv (B, tokens, 3, heads, head_width): what one fused projection of each token writes.
// y (B, tokens, heads * head_width)
// source: Vaswani et al., NeurIPS 2017, equation 1; rotary: Su et al., arXiv 2104.09864, halves
// paired as LLaMA does, base 10000.
template <typename T>
class Attention {
 public:
  Attention() = default;
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;
  virtual ~Attention() = default;

  // Keeps what backward() needs.
  virtual void forward(const T* qkv, T* y) = 0;
  virtual void backward(const T* qkv, const T* dy, T* dqkv) = 0;
};

}  // namespace scalestudy::ops

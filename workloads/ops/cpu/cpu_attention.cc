// Attention of the CPU backend: rotary positions around the attention that a type gets.
#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

// Turns queries and keys by their positions, and the gradients back.
template <typename T>
class RotaryAttention final : public Attention<T> {
  using Real = device::Real<T>;

 public:
  RotaryAttention(std::unique_ptr<Attention<T>> inner,
                  const AttentionShape& shape,
                  int threads,
                  device::Arena& arena)
      : inner_(std::move(inner)),
        shape_(shape),
        threads_(threads),
        rotated_(arena.take<T>(shape.batch * shape.tokens * 3 * shape.heads * shape.head_width)),
        angles_(arena.take<Angle>(shape.tokens * half())) {
    std::vector<Angle> angles(angles_.size());
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const double angle = rotary_angle(i / half(), i % half(), shape.head_width);
      angles[i] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))};
    }
    arena.device().copy_to_device(angles_.data(), angles.data(), angles_.size_bytes());
  }

  void forward(const T* qkv, T* y) override {
    std::copy_n(qkv, rotated_.size(), rotated_.begin());
    rotate(rotated_.data(), Real(1));
    inner_->forward(rotated_.data(), y);
  }

  void backward(const T* /*qkv*/, const T* dy, T* dqkv) override {
    inner_->backward(rotated_.data(), dy, dqkv);
    rotate(dqkv, Real(-1));
  }

 private:
  struct Angle {
    Real cosine;
    Real sine;
  };

  std::size_t half() const { return shape_.head_width / 2; }

  // direction  1 forward, -1 back.
  void rotate(T* qkv, Real direction) const {
    const std::size_t row_width = 3 * shape_.heads * shape_.head_width;
    for_parts(threads_, shape_.batch * shape_.tokens, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const Angle* angles = &angles_[row % shape_.tokens * half()];
        for (std::size_t head = 0; head < 2 * shape_.heads; ++head) {  // of queries, then of keys
          T* pairs = qkv + row * row_width + head * shape_.head_width;
          for (std::size_t i = 0; i < half(); ++i) {
            const Real a = pairs[i];
            const Real b = pairs[half() + i];
            const Real sine = direction * angles[i].sine;
            pairs[i] = static_cast<T>(a * angles[i].cosine - b * sine);
            pairs[half() + i] = static_cast<T>(b * angles[i].cosine + a * sine);
          }
        }
      }
    });
  }

  std::unique_ptr<Attention<T>> inner_;
  AttentionShape shape_;
  int threads_;
  std::span<T> rotated_;     // (B, tokens, 3, heads, head_width)
  std::span<Angle> angles_;  // (tokens, head_width / 2)
};

}  // namespace

template <typename T>
std::unique_ptr<Attention<T>> make_cpu_attention(const AttentionShape& shape,
                                                 const CpuAttentionPlan& plan,
                                                 device::Arena& arena,
                                                 Kernels& kernels) {
  std::unique_ptr<Attention<T>> attention;
  if constexpr (kHasOnednn<T>) {
    if (uses_onednn<T>()) {
      attention = make_onednn_attention<T>(shape, plan, arena, kernels);
    }
  }
  if (attention == nullptr) {
    attention = make_reference_attention<T>(shape, arena);
  }
  if (!shape.has_rotary) {
    return attention;
  }
  return std::make_unique<RotaryAttention<T>>(std::move(attention), shape, plan.threads, arena);
}

template decltype(make_cpu_attention<float>) make_cpu_attention<float>;
template decltype(make_cpu_attention<double>) make_cpu_attention<double>;
template decltype(make_cpu_attention<device::Bf16>) make_cpu_attention<device::Bf16>;
template decltype(make_cpu_attention<device::Half>) make_cpu_attention<device::Half>;

}  // namespace scalestudy::ops

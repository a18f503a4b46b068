// Attention by plain loops: slow, and easy to trust.
#include <algorithm>
#include <cmath>
#include <limits>

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class ReferenceAttention final : public Attention<T> {
  using Real = device::Real<T>;

 public:
  ReferenceAttention(const AttentionShape& shape, device::Arena& arena)
      : shape_(shape),
        scale_(Real(1) / std::sqrt(static_cast<Real>(shape.head_width))),
        weights_(arena.take<T>(shape.batch * shape.heads * shape.tokens * shape.tokens)),
        row_(arena.take<Real>(shape.tokens)) {}

  void forward(const T* qkv, T* y) override {
    Real* const powers = row_.data();
    for_queries([&](std::size_t sample, std::size_t head, std::size_t query, T* weights) {
      const T* q = at(qkv, sample, query, kQuery, head);
      Real maximum = -std::numeric_limits<Real>::infinity();
      for (std::size_t key = 0; key <= query; ++key) {
        powers[key] = scale_ * dot(q, at(qkv, sample, key, kKey, head));
        maximum = std::max(maximum, powers[key]);
      }
      Real sum = 0;
      for (std::size_t key = 0; key <= query; ++key) {
        powers[key] = std::exp(powers[key] - maximum);
        sum += powers[key];
      }
      T* output = y + ((sample * shape_.tokens + query) * shape_.heads + head) * shape_.head_width;
      for (std::size_t i = 0; i < shape_.head_width; ++i) {
        Real value = 0;
        for (std::size_t key = 0; key <= query; ++key) {
          value += powers[key] / sum * at(qkv, sample, key, kValue, head)[i];
        }
        output[i] = static_cast<T>(value);
      }
      std::transform(powers, powers + query + 1, weights, [&](Real power) {
        return static_cast<T>(power / sum);
      });
    });
  }

  void backward(const T* qkv, const T* dy, T* dqkv) override {
    std::fill_n(dqkv, shape_.batch * shape_.tokens * row_width(), T{});
    Real* const dweights = row_.data();
    for_queries([&](std::size_t sample, std::size_t head, std::size_t query, const T* weights) {
      const T* gradient =
          dy + ((sample * shape_.tokens + query) * shape_.heads + head) * shape_.head_width;
      Real mean = 0;  // of dweights under weights
      for (std::size_t key = 0; key <= query; ++key) {
        dweights[key] = dot(gradient, at(qkv, sample, key, kValue, head));
        mean += weights[key] * dweights[key];
        add(at(dqkv, sample, key, kValue, head), weights[key], gradient);
      }
      for (std::size_t key = 0; key <= query; ++key) {
        const Real score = scale_ * weights[key] * (dweights[key] - mean);
        add(at(dqkv, sample, query, kQuery, head), score, at(qkv, sample, key, kKey, head));
        add(at(dqkv, sample, key, kKey, head), score, at(qkv, sample, query, kQuery, head));
      }
    });
  }

 private:
  enum Part : std::size_t { kQuery, kKey, kValue };

  std::size_t row_width() const { return 3 * shape_.heads * shape_.head_width; }

  template <typename Element>
  Element* at(
      Element* qkv, std::size_t sample, std::size_t token, Part part, std::size_t head) const {
    return qkv + (sample * shape_.tokens + token) * row_width() +
           (part * shape_.heads + head) * shape_.head_width;
  }

  Real dot(const T* a, const T* b) const {
    Real sum = 0;
    for (std::size_t i = 0; i < shape_.head_width; ++i) {
      sum += static_cast<Real>(a[i]) * static_cast<Real>(b[i]);
    }
    return sum;
  }

  void add(T* sum, Real factor, const T* values) const {
    for (std::size_t i = 0; i < shape_.head_width; ++i) {
      sum[i] = static_cast<T>(sum[i] + factor * values[i]);
    }
  }

  // work(sample, head, query, its weights (tokens))
  template <typename Work>
  void for_queries(const Work& work) const {
    T* weights = weights_.data();
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      for (std::size_t head = 0; head < shape_.heads; ++head) {
        for (std::size_t query = 0; query < shape_.tokens; ++query) {
          work(sample, head, query, weights);
          weights += shape_.tokens;
        }
      }
    }
  }

  AttentionShape shape_;
  Real scale_;
  std::span<T> weights_;  // (B, heads, tokens, tokens), of the last forward; [q][k], k <= q
  std::span<Real> row_;   // (tokens)
};

}  // namespace

template <typename T>
std::unique_ptr<Attention<T>> make_reference_attention(const AttentionShape& shape,
                                                       device::Arena& arena) {
  return std::make_unique<ReferenceAttention<T>>(shape, arena);
}

template decltype(make_reference_attention<float>) make_reference_attention<float>;
template decltype(make_reference_attention<double>) make_reference_attention<double>;
template decltype(make_reference_attention<device::Bf16>) make_reference_attention<device::Bf16>;
template decltype(make_reference_attention<device::Half>) make_reference_attention<device::Half>;

}  // namespace scalestudy::ops

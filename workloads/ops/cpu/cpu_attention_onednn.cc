// fp32 and bf16 attention: products of all heads of a sample through oneDNN, softmax between them.
// In bf16 scores and softmax are fp32; the weights that backward needs are rounded.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

// weights[0, count) = softmax(scale * scores), weights[count, tokens) = 0; in place for float.
template <typename T>
SCALESTUDY_VECTORISED void causal_softmax_row(
    float* scores, std::size_t count, std::size_t tokens, float scale, T* weights) {
  float maximum = scores[0];
#pragma omp simd reduction(max : maximum)
  for (std::size_t i = 0; i < count; ++i) {
    maximum = scores[i] > maximum ? scores[i] : maximum;
  }
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = exponential(scale * (scores[i] - maximum));
    sum += scores[i];
  }
  const float factor = 1.0F / sum;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = device::rounded<T>(scores[i] * factor);
  }
  std::fill(weights + count, weights + tokens, T(0.0F));
}

// dscores becomes the gradient of the scores: scale * weight * (dweight - its mean under the
// weights); in place for float.
template <typename T>
SCALESTUDY_VECTORISED void softmax_backward_row(const T* weights,
                                                const float* dweights,
                                                std::size_t count,
                                                std::size_t tokens,
                                                float scale,
                                                T* dscores) {
  float mean = 0;
#pragma omp simd reduction(+ : mean)
  for (std::size_t i = 0; i < count; ++i) {
    mean += weights[i] * dweights[i];
  }
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    dscores[i] = device::rounded<T>(scale * weights[i] * (dweights[i] - mean));
  }
  std::fill(dscores + count, dscores + tokens, T(0.0F));
}

// A matrix of each head; the elements between neighbours.
struct Strides {
  std::size_t heads;
  std::size_t rows;
  std::size_t columns;

  Strides transposed() const { return {heads, columns, rows}; }
};

struct ProductShape {
  std::size_t heads;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

dnnl::memory::desc describe(const ProductShape& shape,
                            std::size_t rows,
                            std::size_t columns,
                            const Strides& strides,
                            device::DataType type) {
  const auto dim = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
  return {Dims{dim(shape.heads), dim(rows), dim(columns)},
          static_cast<dnnl::memory::data_type>(onednn_type(type)),
          Dims{dim(strides.heads), dim(strides.rows), dim(strides.columns)}};
}

// c (m, n) = a (m, k) b (k, n) for every head; a and b are of the type T.
template <typename T, typename Result>
OnednnPrimitive make_product(const ProductShape& shape,
                             const Strides& a,
                             const Strides& b,
                             const Strides& c) {
  constexpr device::DataType type = device::kDataType<T>;
  return {dnnl::matmul::primitive_desc(
              dnnl::matmul::desc(describe(shape, shape.m, shape.k, a, type),
                                 describe(shape, shape.k, shape.n, b, type),
                                 describe(shape, shape.m, shape.n, c, device::kDataType<Result>)),
              onednn_attributes(),
              onednn_engine()),
          {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}};
}

// The products of one sample; T tokens, h elements a head. Gradients are laid out as what they are
// gradients of. Scores, and the gradients of weights, are float.
template <typename T>
struct Products {
  explicit Products(const AttentionShape& shape)
      : Products(shape,
                 {shape.head_width, 3 * shape.heads * shape.head_width, 1},
                 {shape.head_width, shape.heads * shape.head_width, 1},
                 {shape.tokens * shape.tokens, shape.tokens, 1}) {}

  std::set<std::string> kernels() const {
    return {scores.kernel(),
            output.kernel(),
            dweights.kernel(),
            dvalues.kernel(),
            dqueries.kernel(),
            dkeys.kernel()};
  }

  std::size_t scratchpad_bytes() const {
    return std::max({scores.scratchpad_bytes(),
                     output.scratchpad_bytes(),
                     dweights.scratchpad_bytes(),
                     dvalues.scratchpad_bytes(),
                     dqueries.scratchpad_bytes(),
                     dkeys.scratchpad_bytes()});
  }

  OnednnPrimitive scores;    // queries keys^T
  OnednnPrimitive output;    // weights values
  OnednnPrimitive dweights;  // doutput values^T
  OnednnPrimitive dvalues;   // weights^T doutput
  OnednnPrimitive dqueries;  // dscores keys
  OnednnPrimitive dkeys;     // dscores^T queries

 private:
  //   part    of queries, keys and values (T, h)
  //   joined  of y (T, h)
  //   square  of weights and scores (T, T)
  Products(const AttentionShape& shape,
           const Strides& part,
           const Strides& joined,
           const Strides& square)
      : Products({shape.heads, shape.tokens, shape.tokens, shape.head_width},
                 {shape.heads, shape.tokens, shape.head_width, shape.tokens},
                 part,
                 joined,
                 square) {}

  Products(const ProductShape& to_square,
           const ProductShape& from_square,
           const Strides& part,
           const Strides& joined,
           const Strides& square)
      : scores(make_product<T, float>(to_square, part, part.transposed(), square)),
        output(make_product<T, T>(from_square, square, part, joined)),
        dweights(make_product<T, float>(to_square, joined, part.transposed(), square)),
        dvalues(make_product<T, T>(from_square, square.transposed(), joined, part)),
        dqueries(make_product<T, T>(from_square, square, part, part)),
        dkeys(make_product<T, T>(from_square, square.transposed(), part, part)) {}
};

template <typename T>
class OnednnAttention final : public Attention<T> {
  static constexpr bool kIsRounded = !std::is_same_v<T, float>;
  static constexpr std::size_t kLine = 64;  // bytes

 public:
  OnednnAttention(const AttentionShape& shape, int threads, device::Arena& arena, Kernels& kernels)
      : shape_(shape),
        threads_(threads),
        scale_(1.0F / std::sqrt(static_cast<float>(shape.head_width))),
        products_(shape),
        arena_(arena),
        weights_(arena.take<T>(shape.batch * weights_width())) {
    arena.reserve_scratch(pad_bytes() + element_bytes() * weights_width());
    kernels["attention"].merge(products_.kernels());
  }

  void forward(const T* qkv, T* y) override {
    const Scratch scratch = scratch_of_sample();
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      const T* queries = qkv + 3 * sample * sample_width();
      T* weights = weights_.data() + sample * weights_width();
      float* scores = scratch.dweights;
      products_.scores.run({queries, queries + width(), scores, scratch.pad});
      for_rows([&](std::size_t first, std::size_t keys) {
        causal_softmax_row(scores + first, keys, shape_.tokens, scale_, weights + first);
      });
      products_.output.run(
          {weights, queries + 2 * width(), y + sample * sample_width(), scratch.pad});
    }
  }

  void backward(const T* qkv, const T* dy, T* dqkv) override {
    const Scratch scratch = scratch_of_sample();
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      const T* queries = qkv + 3 * sample * sample_width();
      const T* keys = queries + width();
      const T* values = keys + width();
      const T* doutput = dy + sample * sample_width();
      T* dqueries = dqkv + 3 * sample * sample_width();
      const T* weights = weights_.data() + sample * weights_width();
      products_.dvalues.run({weights, doutput, dqueries + 2 * width(), scratch.pad});
      products_.dweights.run({doutput, values, scratch.dweights, scratch.pad});
      for_rows([&](std::size_t first, std::size_t count) {
        softmax_backward_row(weights + first,
                             scratch.dweights + first,
                             count,
                             shape_.tokens,
                             scale_,
                             scratch.dscores + first);
      });
      products_.dqueries.run({scratch.dscores, keys, dqueries, scratch.pad});
      products_.dkeys.run({scratch.dscores, queries, dqueries + width(), scratch.pad});
    }
  }

 private:
  // Of one sample, in memory that operations share.
  struct Scratch {
    std::byte* pad;   // of the products
    float* dweights;  // (heads, tokens, tokens); in forward, scores
    T* dscores;       // the same; of float in place
  };

  std::size_t pad_bytes() const {
    return (products_.scratchpad_bytes() + kLine - 1) / kLine * kLine;
  }
  static constexpr std::size_t element_bytes() {
    return sizeof(float) + (kIsRounded ? sizeof(T) : 0);
  }

  Scratch scratch_of_sample() const {
    auto* const pad = static_cast<std::byte*>(arena_.scratch());
    void* const first = pad + pad_bytes();
    auto* const dweights = static_cast<float*>(first);
    void* const second = kIsRounded ? dweights + weights_width() : dweights;
    return {pad, dweights, static_cast<T*>(second)};
  }

  std::size_t width() const { return shape_.heads * shape_.head_width; }
  std::size_t sample_width() const { return shape_.tokens * width(); }
  std::size_t weights_width() const { return shape_.heads * shape_.tokens * shape_.tokens; }

  // work(first element of a query's row, number of its keys) for every query of a sample.
  template <typename Work>
  void for_rows(const Work& work) const {
    const std::size_t tokens = shape_.tokens;
    for_parts(threads_, shape_.heads * tokens, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        work(row * tokens, row % tokens + 1);
      }
    });
  }

  AttentionShape shape_;
  int threads_;
  float scale_;
  Products<T> products_;
  device::Arena& arena_;
  std::span<T> weights_;  // (B, heads, tokens, tokens), of the last forward
};

}  // namespace

template <typename T>
std::unique_ptr<Attention<T>> make_onednn_attention(const AttentionShape& shape,
                                                    int threads,
                                                    device::Arena& arena,
                                                    Kernels& kernels) {
  return std::make_unique<OnednnAttention<T>>(shape, threads, arena, kernels);
}

template std::unique_ptr<Attention<float>> make_onednn_attention(const AttentionShape&,
                                                                 int,
                                                                 device::Arena&,
                                                                 Kernels&);
template std::unique_ptr<Attention<device::Bf16>> make_onednn_attention(const AttentionShape&,
                                                                        int,
                                                                        device::Arena&,
                                                                        Kernels&);

}  // namespace scalestudy::ops

// fp32 and bf16 attention: products of all heads of a sample through oneDNN, softmax between them.
// In bf16 scores and softmax are fp32; the weights that backward needs are rounded. In fp32 the
// weights of a long sequence are not kept: blocks of queries take turns in one memory, see only the
// keys up to their own, and are weighed again in backward.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

// What the weights of a row are made of again, from its scores.
struct RowScale {
  float maximum;
  float factor;
};

// weights[0, count) = softmax(scale * scores), weights[count, keys) = 0. Overwrites the scores,
// which may be the weights.
template <typename T>
SCALESTUDY_VECTORISED RowScale
causal_softmax_row(float* scores, std::size_t count, std::size_t keys, float scale, T* weights) {
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
  std::fill(weights + count, weights + keys, T(0.0F));
  return {maximum, factor};
}

// The same weights once more, in place of the scores.
SCALESTUDY_VECTORISED void causal_weights_row(
    float* scores, std::size_t count, std::size_t keys, float scale, const RowScale& row) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = exponential(scale * (scores[i] - row.maximum)) * row.factor;
  }
  std::fill(scores + count, scores + keys, 0.0F);
}

// dscores becomes the gradient of the scores: scale * weight * (dweight - its mean under the
// weights); in place for float.
template <typename T>
SCALESTUDY_VECTORISED void softmax_backward_row(const T* weights,
                                                const float* dweights,
                                                std::size_t count,
                                                std::size_t keys,
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
  std::fill(dscores + count, dscores + keys, T(0.0F));
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

enum class Writes { kResult, kSum };

dnnl::primitive_attr attributes_of(Writes writes) {
  if (writes == Writes::kResult) {
    return onednn_attributes();
  }
  dnnl::primitive_attr attributes;  // a copy of the others would be the same object
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops sum;
  sum.append_sum(1.0F);
  attributes.set_post_ops(sum);
  return attributes;
}

// c (m, n) = a (m, k) b (k, n) for every head, or that is added to c; a and b are of the type T.
template <typename T, typename Result>
OnednnPrimitive make_product(const ProductShape& shape,
                             const Strides& a,
                             const Strides& b,
                             const Strides& c,
                             Writes writes = Writes::kResult) {
  constexpr device::DataType type = device::kDataType<T>;
  return {dnnl::matmul::primitive_desc(
              dnnl::matmul::desc(describe(shape, shape.m, shape.k, a, type),
                                 describe(shape, shape.k, shape.n, b, type),
                                 describe(shape, shape.m, shape.n, c, device::kDataType<Result>)),
              attributes_of(writes),
              onednn_engine()),
          {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}};
}

// The products of a block of R queries of one sample with the K keys up to its last one; h elements
// a head. Gradients are laid out as what they are gradients of; blocks add theirs of keys and
// values to those of the last block, whose keys are all. Scores, and the gradients of weights, are
// float.
template <typename T>
struct Products {
  Products(const AttentionShape& shape, std::size_t rows, std::size_t keys)
      : Products(shape,
                 rows,
                 keys,
                 {shape.head_width, 3 * shape.heads * shape.head_width, 1},
                 {shape.head_width, shape.heads * shape.head_width, 1},
                 {rows * keys, keys, 1}) {}

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
  //   part    of queries (R, h), keys and values (K, h)
  //   joined  of y (R, h)
  //   square  of weights and scores (R, K)
  Products(const AttentionShape& shape,
           std::size_t rows,
           std::size_t keys,
           const Strides& part,
           const Strides& joined,
           const Strides& square)
      : Products({shape.heads, rows, keys, shape.head_width},
                 {shape.heads, rows, shape.head_width, keys},
                 {shape.heads, keys, shape.head_width, rows},
                 keys == shape.tokens ? Writes::kResult : Writes::kSum,
                 part,
                 joined,
                 square) {}

  Products(const ProductShape& to_square,
           const ProductShape& to_rows,
           const ProductShape& to_keys,
           Writes keys,
           const Strides& part,
           const Strides& joined,
           const Strides& square)
      : scores(make_product<T, float>(to_square, part, part.transposed(), square)),
        output(make_product<T, T>(to_rows, square, part, joined)),
        dweights(make_product<T, float>(to_square, joined, part.transposed(), square)),
        dvalues(make_product<T, T>(to_keys, square.transposed(), joined, part, keys)),
        dqueries(make_product<T, T>(to_rows, square, part, part)),
        dkeys(make_product<T, T>(to_keys, square.transposed(), part, part, keys)) {}
};

template <typename T>
class OnednnAttention final : public Attention<T> {
  static constexpr bool kIsRounded = !std::is_same_v<T, float>;
  static constexpr std::size_t kLine = 64;         // bytes
  static constexpr std::size_t kBlockRows = 128;   // of queries
  static constexpr std::size_t kKeptTokens = 256;  // up to these, making weights again costs more

 public:
  OnednnAttention(const AttentionShape& shape,
                  const CpuAttentionPlan& plan,
                  device::Arena& arena,
                  Kernels& kernels)
      : shape_(shape),
        threads_(plan.threads),
        scale_(1.0F / std::sqrt(static_cast<float>(shape.head_width))),
        is_kept_(plan.keeps_weights || kIsRounded || shape.tokens <= kKeptTokens),
        block_rows_(is_kept_ ? shape.tokens : kBlockRows),
        arena_(arena) {
    for (std::size_t first = 0; first < shape.tokens; first += block_rows_) {
      const std::size_t keys = std::min(shape.tokens, first + block_rows_);
      products_.emplace_back(shape, keys - first, keys);
      kernels["attention"].merge(products_.back().kernels());
      pad_bytes_ = std::max(pad_bytes_, products_.back().scratchpad_bytes());
    }
    pad_bytes_ = (pad_bytes_ + kLine - 1) / kLine * kLine;
    if (is_kept_) {
      weights_ = arena.take<T>(shape.batch * block_elements());
    } else {
      rows_ = arena.take<RowScale>(shape.batch * shape.heads * shape.tokens);
    }
    const std::size_t second = kIsRounded ? sizeof(T) : is_kept_ ? 0 : sizeof(float);
    arena.reserve_scratch(pad_bytes_ + (sizeof(float) + second) * block_elements());
  }

  void forward(const T* qkv, T* y) override {
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      const Scratch scratch = scratch_of(sample);
      const T* keys = qkv + 3 * sample * sample_width() + width();
      for (std::size_t block = 0; block < products_.size(); ++block) {
        const std::size_t first = block * block_rows_;
        const T* queries = keys - width() + 3 * first * width();
        products_[block].scores.run({queries, keys, scratch.scores, scratch.pad});
        for_rows(sample, block, [&](const RowPlace& row) {
          const RowScale made = causal_softmax_row(
              scratch.scores + row.first, row.count, row.keys, scale_, scratch.weights + row.first);
          if (!is_kept_) {
            rows_[row.number] = made;
          }
        });
        products_[block].output.run({scratch.weights,
                                     keys + width(),
                                     y + sample * sample_width() + first * width(),
                                     scratch.pad});
      }
    }
  }

  void backward(const T* qkv, const T* dy, T* dqkv) override {
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      for (std::size_t block = products_.size(); block-- > 0;) {
        run_backward(sample, block, qkv, dy, dqkv);
      }
    }
  }

 private:
  // Of one block, in memory that operations share but for weights that are kept.
  struct Scratch {
    std::byte* pad;   // of the products
    float* scores;    // (heads, rows, keys)
    T* weights;       // the same; those that are not kept, in place of the scores
    float* dweights;  // the same; beside weights that are not kept, else in place of the scores
    T* dscores;       // the same; of float in place
  };

  // A query's row in a block.
  struct RowPlace {
    std::size_t first;   // element
    std::size_t count;   // of the keys that it sees
    std::size_t keys;    // of the block
    std::size_t number;  // among the rows of all samples
  };

  void run_backward(std::size_t sample, std::size_t block, const T* qkv, const T* dy, T* dqkv) {
    const Scratch scratch = scratch_of(sample);
    const std::size_t first = block * block_rows_;
    const T* keys = qkv + 3 * sample * sample_width() + width();
    const T* queries = keys - width() + 3 * first * width();
    const T* doutput = dy + sample * sample_width() + first * width();
    T* dkeys = dqkv + 3 * sample * sample_width() + width();
    Products<T>& products = products_[block];
    if (!is_kept_) {
      products.scores.run({queries, keys, scratch.scores, scratch.pad});
      for_rows(sample, block, [&](const RowPlace& row) {
        causal_weights_row(
            scratch.scores + row.first, row.count, row.keys, scale_, rows_[row.number]);
      });
    }
    products.dvalues.run({scratch.weights, doutput, dkeys + width(), scratch.pad});
    products.dweights.run({doutput, keys + width(), scratch.dweights, scratch.pad});
    for_rows(sample, block, [&](const RowPlace& row) {
      softmax_backward_row(scratch.weights + row.first,
                           scratch.dweights + row.first,
                           row.count,
                           row.keys,
                           scale_,
                           scratch.dscores + row.first);
    });
    products.dqueries.run(
        {scratch.dscores, keys, dkeys - width() + 3 * first * width(), scratch.pad});
    products.dkeys.run({scratch.dscores, queries, dkeys, scratch.pad});
  }

  Scratch scratch_of(std::size_t sample) const {
    auto* const pad = static_cast<std::byte*>(arena_.scratch());
    void* const memory = pad + pad_bytes_;
    auto* const scores = static_cast<float*>(memory);
    float* const second = scores + block_elements();
    if constexpr (kIsRounded) {
      void* const dscores = second;
      return {pad, scores, kept_weights(sample), scores, static_cast<T*>(dscores)};
    } else {
      float* const dweights = is_kept_ ? scores : second;
      return {pad, scores, is_kept_ ? kept_weights(sample) : scores, dweights, dweights};
    }
  }

  T* kept_weights(std::size_t sample) const { return weights_.data() + sample * block_elements(); }
  std::size_t width() const { return shape_.heads * shape_.head_width; }
  std::size_t sample_width() const { return shape_.tokens * width(); }
  // Of the largest block.
  std::size_t block_elements() const { return shape_.heads * block_rows_ * shape_.tokens; }

  // work(row) for every query of a block.
  template <typename Work>
  void for_rows(std::size_t sample, std::size_t block, const Work& work) const {
    const std::size_t first = block * block_rows_;
    const std::size_t keys = std::min(shape_.tokens, first + block_rows_);
    const std::size_t rows = keys - first;
    for_parts(threads_, shape_.heads * rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t query = first + i % rows;
        const std::size_t head = sample * shape_.heads + i / rows;
        work({i * keys, query + 1, keys, head * shape_.tokens + query});
      }
    });
  }

  AttentionShape shape_;
  int threads_;
  float scale_;
  bool is_kept_;
  std::size_t block_rows_;
  std::vector<Products<T>> products_;  // of each block
  std::size_t pad_bytes_ = 0;
  device::Arena& arena_;
  std::span<T> weights_;  // (B, heads, tokens, tokens), of the last forward, where they are kept
  std::span<RowScale> rows_;  // (B, heads, tokens), where they are not
};

}  // namespace

template <typename T>
std::unique_ptr<Attention<T>> make_onednn_attention(const AttentionShape& shape,
                                                    const CpuAttentionPlan& plan,
                                                    device::Arena& arena,
                                                    Kernels& kernels) {
  return std::make_unique<OnednnAttention<T>>(shape, plan, arena, kernels);
}

template decltype(make_onednn_attention<float>) make_onednn_attention<float>;
template decltype(make_onednn_attention<device::Bf16>) make_onednn_attention<device::Bf16>;

}  // namespace scalestudy::ops

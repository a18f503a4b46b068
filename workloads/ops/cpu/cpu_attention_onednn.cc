// fp32 attention: products of all heads of a sample through oneDNN, softmax between them.
#include <algorithm>
#include <cmath>

#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

// weights[0, count) = softmax(scale * scores), weights[count, tokens) = 0; in place.
SCALESTUDY_VECTORISED void causal_softmax_row(float* row,
                                              std::size_t count,
                                              std::size_t tokens,
                                              float scale) {
  float maximum = row[0];
#pragma omp simd reduction(max : maximum)
  for (std::size_t i = 0; i < count; ++i) {
    maximum = row[i] > maximum ? row[i] : maximum;
  }
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = exponential(scale * (row[i] - maximum));
    sum += row[i];
  }
  const float factor = 1.0F / sum;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    row[i] *= factor;
  }
  std::fill(row + count, row + tokens, 0.0F);
}

// drow becomes the gradient of the scores: scale * weight * (drow - its mean under the weights).
SCALESTUDY_VECTORISED void softmax_backward_row(
    const float* row, float* drow, std::size_t count, std::size_t tokens, float scale) {
  float mean = 0;
#pragma omp simd reduction(+ : mean)
  for (std::size_t i = 0; i < count; ++i) {
    mean += row[i] * drow[i];
  }
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    drow[i] = scale * row[i] * (drow[i] - mean);
  }
  std::fill(drow + count, drow + tokens, 0.0F);
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
                            const Strides& strides) {
  const auto dim = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
  return {Dims{dim(shape.heads), dim(rows), dim(columns)},
          dnnl::memory::data_type::f32,
          Dims{dim(strides.heads), dim(strides.rows), dim(strides.columns)}};
}

// c (m, n) = a (m, k) b (k, n) for every head.
OnednnPrimitive make_product(const ProductShape& shape,
                             const Strides& a,
                             const Strides& b,
                             const Strides& c) {
  return {dnnl::matmul::primitive_desc(dnnl::matmul::desc(describe(shape, shape.m, shape.k, a),
                                                          describe(shape, shape.k, shape.n, b),
                                                          describe(shape, shape.m, shape.n, c)),
                                       onednn_attributes(),
                                       onednn_engine()),
          {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}};
}

// The products of one sample; T tokens, h elements a head. Gradients are laid out as what they are
// gradients of.
struct Products {
  explicit Products(const AttentionShape& shape)
      : Products(shape,
                 {shape.head_width, 3 * shape.heads * shape.head_width, 1},
                 {shape.head_width, shape.heads * shape.head_width, 1},
                 {shape.tokens * shape.tokens, shape.tokens, 1}) {}

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
      : scores(make_product(to_square, part, part.transposed(), square)),
        output(make_product(from_square, square, part, joined)),
        dweights(make_product(to_square, joined, part.transposed(), square)),
        dvalues(make_product(from_square, square.transposed(), joined, part)),
        dqueries(make_product(from_square, square, part, part)),
        dkeys(make_product(from_square, square.transposed(), part, part)) {}
};

class OnednnAttention final : public Attention<float> {
 public:
  OnednnAttention(const AttentionShape& shape, int threads, device::Arena& arena)
      : shape_(shape),
        threads_(threads),
        scale_(1.0F / std::sqrt(static_cast<float>(shape.head_width))),
        products_(shape),
        scratchpad_(arena.take<std::byte>(products_.scratchpad_bytes()).data()),
        weights_(arena.take<float>(shape.batch * weights_width())),
        dweights_(arena.take<float>(weights_width())) {}

  void forward(const float* qkv, float* y) override {
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      const float* queries = qkv + 3 * sample * sample_width();
      float* weights = weights_.data() + sample * weights_width();
      products_.scores.run({queries, queries + width(), weights, scratchpad_});
      for_rows([&](std::size_t first, std::size_t keys) {
        causal_softmax_row(weights + first, keys, shape_.tokens, scale_);
      });
      products_.output.run(
          {weights, queries + 2 * width(), y + sample * sample_width(), scratchpad_});
    }
  }

  void backward(const float* qkv, const float* dy, float* dqkv) override {
    for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
      const float* queries = qkv + 3 * sample * sample_width();
      const float* keys = queries + width();
      const float* values = keys + width();
      const float* doutput = dy + sample * sample_width();
      float* dqueries = dqkv + 3 * sample * sample_width();
      const float* weights = weights_.data() + sample * weights_width();
      float* dweights = dweights_.data();
      products_.dvalues.run({weights, doutput, dqueries + 2 * width(), scratchpad_});
      products_.dweights.run({doutput, values, dweights, scratchpad_});
      for_rows([&](std::size_t first, std::size_t count) {
        softmax_backward_row(weights + first, dweights + first, count, shape_.tokens, scale_);
      });
      products_.dqueries.run({dweights, keys, dqueries, scratchpad_});
      products_.dkeys.run({dweights, queries, dqueries + width(), scratchpad_});
    }
  }

 private:
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
  Products products_;
  std::byte* scratchpad_;
  std::span<float> weights_;   // (B, heads, tokens, tokens), of the last forward
  std::span<float> dweights_;  // (heads, tokens, tokens), of one sample
};

}  // namespace

std::unique_ptr<Attention<float>> make_onednn_attention(const AttentionShape& shape,
                                                        int threads,
                                                        device::Arena& arena) {
  return std::make_unique<OnednnAttention>(shape, threads, arena);
}

}  // namespace scalestudy::ops

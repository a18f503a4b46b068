// Embedding on the CPU: each thread owns columns, so that gradients of one token are added in
// order.
#include <algorithm>

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

template <typename T>
SCALESTUDY_VECTORISED void add_to(T* sums, const T* values, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = static_cast<T>(sums[i] + values[i]);
  }
}

template <typename T>
class CpuEmbedding final : public Embedding<T> {
 public:
  CpuEmbedding(const EmbeddingShape& shape, int threads) : shape_(shape), threads_(threads) {}

  void forward(const std::int32_t* tokens, const T* table, const T* positions, T* y) override {
    const std::size_t width = shape_.width;
    for_parts(threads_, shape_.batch * shape_.tokens, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        std::copy_n(table + static_cast<std::size_t>(tokens[row]) * width, width, y + row * width);
        if (shape_.has_positions) {
          add_to(y + row * width, positions + row % shape_.tokens * width, width);
        }
      }
    });
  }

  void backward(const std::int32_t* tokens, const T* dy, T* dtable, T* dpositions) override {
    for_parts(threads_, shape_.width, [&](std::size_t begin, std::size_t end) {
      if (!shape_.is_tied) {
        clear(dtable, shape_.vocabulary, begin, end);
      }
      if (shape_.has_positions) {
        clear(dpositions, shape_.tokens, begin, end);
      }
      for (std::size_t row = 0; row < shape_.batch * shape_.tokens; ++row) {
        const T* gradient = dy + row * shape_.width + begin;
        const auto token = static_cast<std::size_t>(tokens[row]);
        add_to(dtable + token * shape_.width + begin, gradient, end - begin);
        if (shape_.has_positions) {
          add_to(dpositions + row % shape_.tokens * shape_.width + begin, gradient, end - begin);
        }
      }
    });
  }

 private:
  // Columns [begin, end) of a matrix with `width` columns become zero.
  void clear(T* matrix, std::size_t rows, std::size_t begin, std::size_t end) const {
    for (std::size_t row = 0; row < rows; ++row) {
      std::fill(matrix + row * shape_.width + begin, matrix + row * shape_.width + end, T{});
    }
  }

  EmbeddingShape shape_;
  int threads_;
};

}  // namespace

template <typename T>
std::unique_ptr<Embedding<T>> make_cpu_embedding(const EmbeddingShape& shape, int threads) {
  return std::make_unique<CpuEmbedding<T>>(shape, threads);
}

template std::unique_ptr<Embedding<float>> make_cpu_embedding(const EmbeddingShape&, int);
template std::unique_ptr<Embedding<double>> make_cpu_embedding(const EmbeddingShape&, int);
template std::unique_ptr<Embedding<device::Bf16>> make_cpu_embedding(const EmbeddingShape&, int);
template std::unique_ptr<Embedding<device::Half>> make_cpu_embedding(const EmbeddingShape&, int);

}  // namespace scalestudy::ops

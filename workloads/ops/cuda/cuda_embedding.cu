// Rows of a table by token. The gradient sorts the tokens first, so that one block adds up all rows
// of a token in their order.
#include <cub/device/device_radix_sort.cuh>

#include "workloads/ops/cuda/cuda_launch.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

// Block i does the work of the i-th sorted row where that is the first of its token.
template <typename T>
__global__ void add_token_rows_kernel(std::size_t rows,
                                      std::size_t width,
                                      const std::int32_t* tokens,
                                      const std::int32_t* order,
                                      const T* dy,
                                      T* dtable) {
  const std::size_t first = blockIdx.x;
  const std::int32_t token = tokens[first];
  if (first > 0 && tokens[first - 1] == token) {
    return;
  }
  T* const gradient = dtable + static_cast<std::size_t>(token) * width;
  for (std::size_t column = threadIdx.x; column < width; column += kThreads) {
    float sum = gradient[column];
    for (std::size_t i = first; i < rows && tokens[i] == token; ++i) {
      sum += static_cast<float>(dy[static_cast<std::size_t>(order[i]) * width + column]);
    }
    gradient[column] = T(sum);
  }
}

template <typename T>
class CudaEmbedding final : public Embedding<T> {
 public:
  CudaEmbedding(const EmbeddingShape& shape, const Launch& launch, device::Arena& arena)
      : shape_(shape),
        launch_(launch),
        rows_(shape.batch * shape.tokens),
        places_(arena.take<std::int32_t>(rows_).data()),
        sorted_tokens_(arena.take<std::int32_t>(rows_).data()),
        sorted_places_(arena.take<std::int32_t>(rows_).data()) {
    number_places();
    std::size_t bytes = 0;
    CUDA_CHECK(sort(nullptr, bytes, nullptr));
    sort_space_ = arena.take<std::byte>(bytes);
  }

  // nvcc takes no device lambda inside a constructor, nor in a private function.
  void number_places() {
    std::int32_t* const places = places_;
    for_each(
        rows_,
        [=] __device__(std::size_t i) { places[i] = static_cast<std::int32_t>(i); },
        launch_.stream);
  }

  void forward(const std::int32_t* tokens, const T* table, const T* positions, T* y) override {
    const std::size_t width = shape_.width;
    const std::size_t count = shape_.tokens;
    for_each_cell(
        rows_,
        width,
        [=] __device__(std::size_t row, std::size_t column) {
          float value = table[static_cast<std::size_t>(tokens[row]) * width + column];
          if (positions != nullptr) {
            value += static_cast<float>(positions[row % count * width + column]);
          }
          y[row * width + column] = T(value);
        },
        launch_.stream);
  }

  void backward(const std::int32_t* tokens, const T* dy, T* dtable, T* dpositions) override {
    if (!shape_.is_tied) {
      CUDA_CHECK(
          cudaMemsetAsync(dtable, 0, shape_.vocabulary * shape_.width * sizeof(T), launch_.stream));
    }
    std::size_t bytes = sort_space_.size();
    CUDA_CHECK(sort(sort_space_.data(), bytes, tokens));
    launch_kernel("add_token_rows_kernel",
                  {static_cast<unsigned>(rows_), kThreads, launch_.stream},
                  add_token_rows_kernel<T>,
                  rows_,
                  shape_.width,
                  sorted_tokens_,
                  sorted_places_,
                  dy,
                  dtable);
    if (shape_.has_positions) {
      add_positions(dy, dpositions);
    }
  }

  void add_positions(const T* dy, T* dpositions) {
    const EmbeddingShape shape = shape_;
    for_each_cell(
        shape.tokens,
        shape.width,
        [=] __device__(std::size_t token, std::size_t column) {
          float sum = 0.0F;
          for (std::size_t sample = 0; sample < shape.batch; ++sample) {
            sum += static_cast<float>(dy[(sample * shape.tokens + token) * shape.width + column]);
          }
          dpositions[token * shape.width + column] = T(sum);
        },
        launch_.stream);
  }

 private:
  // Stable: rows of one token stay in order. Without `space` it only sets how many bytes it needs.
  cudaError_t sort(void* space, std::size_t& bytes, const std::int32_t* tokens) {
    return cub::DeviceRadixSort::SortPairs(space,
                                           bytes,
                                           tokens,
                                           sorted_tokens_,
                                           places_,
                                           sorted_places_,
                                           static_cast<int>(rows_),
                                           0,
                                           8 * static_cast<int>(sizeof(std::int32_t)),
                                           launch_.stream);
  }

  EmbeddingShape shape_;
  Launch launch_;
  std::size_t rows_;
  std::int32_t* places_;         // (rows): 0, 1, 2 ...
  std::int32_t* sorted_tokens_;  // (rows)
  std::int32_t* sorted_places_;  // (rows): where each sorted token stood
  std::span<std::byte> sort_space_;
};

}  // namespace

template <typename T>
std::unique_ptr<Embedding<T>> make_cuda_embedding(const EmbeddingShape& shape,
                                                  const Launch& launch,
                                                  device::Arena& arena) {
  return std::make_unique<CudaEmbedding<T>>(shape, launch, arena);
}

template decltype(make_cuda_embedding<float>) make_cuda_embedding<float>;
template decltype(make_cuda_embedding<device::Bf16>) make_cuda_embedding<device::Bf16>;
template decltype(make_cuda_embedding<device::Half>) make_cuda_embedding<device::Half>;

}  // namespace scalestudy::ops

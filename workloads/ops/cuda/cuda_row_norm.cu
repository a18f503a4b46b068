// LayerNorm and RMSNorm: a block a row.
#include "workloads/ops/cuda/cuda_columns.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

struct RowStatistics {
  float mean;               // 0 for RMSNorm
  float inverse_deviation;  // 1 / sqrt(mean square + epsilon)
};

template <typename T>
__global__ void normalise_row_kernel(RowNormShape shape,
                                     const T* x,
                                     const T* scale,
                                     const T* shift,
                                     T* y,
                                     RowStatistics* statistics) {
  const std::size_t first = blockIdx.x * shape.columns;
  const float share = 1.0F / static_cast<float>(shape.columns);
  float mean = 0.0F;
  if (!shape.is_rms) {
    for (std::size_t i = threadIdx.x; i < shape.columns; i += kThreads) {
      mean += static_cast<float>(x[first + i]);
    }
    mean = over_block(mean, Plus{}) * share;
  }
  float square = 0.0F;
  for (std::size_t i = threadIdx.x; i < shape.columns; i += kThreads) {
    const float value = static_cast<float>(x[first + i]) - mean;
    square += value * value;
  }
  square = over_block(square, Plus{}) * share;
  const float factor = 1.0F / sqrtf(square + static_cast<float>(shape.epsilon));
  for (std::size_t i = threadIdx.x; i < shape.columns; i += kThreads) {
    const float normal = (static_cast<float>(x[first + i]) - mean) * factor;
    const float offset = shift == nullptr ? 0.0F : static_cast<float>(shift[i]);
    y[first + i] = T(normal * static_cast<float>(scale[i]) + offset);
  }
  if (threadIdx.x == 0) {
    statistics[blockIdx.x] = {mean, factor};
  }
}

// With n = (x - mean) / deviation and g = dy * scale: dx (+)= (g - mean(g) - n mean(g n)) /
// deviation, mean(g) only where a mean was subtracted.
template <typename T>
__global__ void propagate_row_kernel(RowNormShape shape,
                                     const T* x,
                                     const T* scale,
                                     const T* dy,
                                     T* dx,
                                     const RowStatistics* statistics) {
  const std::size_t first = blockIdx.x * shape.columns;
  const auto [mean, factor] = statistics[blockIdx.x];
  float gradient_sum = 0.0F;
  float product_sum = 0.0F;
  for (std::size_t i = threadIdx.x; i < shape.columns; i += kThreads) {
    const float normal = (static_cast<float>(x[first + i]) - mean) * factor;
    const float gradient = static_cast<float>(dy[first + i]) * static_cast<float>(scale[i]);
    gradient_sum += gradient;
    product_sum += gradient * normal;
  }
  const float share = 1.0F / static_cast<float>(shape.columns);
  gradient_sum = over_block(gradient_sum, Plus{});
  const float gradient_mean = shape.is_rms ? 0.0F : gradient_sum * share;
  const float product_mean = over_block(product_sum, Plus{}) * share;
  for (std::size_t i = threadIdx.x; i < shape.columns; i += kThreads) {
    const float normal = (static_cast<float>(x[first + i]) - mean) * factor;
    const float gradient = static_cast<float>(dy[first + i]) * static_cast<float>(scale[i]);
    const float before = shape.is_residual ? static_cast<float>(dx[first + i]) : 0.0F;
    dx[first + i] = T(before + factor * (gradient - gradient_mean - normal * product_mean));
  }
}

template <typename T>
class CudaRowNorm final : public RowNorm<T> {
 public:
  CudaRowNorm(const RowNormShape& shape, const Launch& launch, device::Arena& arena)
      : shape_(shape), launch_(launch), statistics_(arena.take<RowStatistics>(shape.rows).data()) {}

  void forward(const T* x, const T* scale, const T* shift, T* y) override {
    launch_kernel("normalise_row_kernel",
                  {static_cast<unsigned>(shape_.rows), kThreads, launch_.stream},
                  normalise_row_kernel<T>,
                  shape_,
                  x,
                  scale,
                  shift,
                  y,
                  statistics_);
  }

  void backward(const T* x, const T* scale, const T* dy, T* dscale, T* dshift, T* dx) override {
    const std::size_t columns = shape_.columns;
    const bool is_rms = shape_.is_rms;
    const RowStatistics* const statistics = statistics_;
    const auto term = [=] __device__(std::size_t row, std::size_t i, ColumnSums<2> & sums) {
      const float gradient = dy[row * columns + i];
      const float value = static_cast<float>(x[row * columns + i]) - statistics[row].mean;
      sums.value[0] += gradient * value * statistics[row].inverse_deviation;
      sums.value[1] += gradient;
    };
    const auto result = [=] __device__(std::size_t i, const ColumnSums<2>& sums) {
      dscale[i] = T(sums.value[0]);
      if (!is_rms) {
        dshift[i] = T(sums.value[1]);
      }
    };
    sum_columns<2>(shape_.rows, columns, term, result, launch_.scratch, launch_.stream);
    launch_kernel("propagate_row_kernel",
                  {static_cast<unsigned>(shape_.rows), kThreads, launch_.stream},
                  propagate_row_kernel<T>,
                  shape_,
                  x,
                  scale,
                  dy,
                  dx,
                  statistics_);
  }

 private:
  RowNormShape shape_;
  Launch launch_;
  RowStatistics* statistics_;  // (rows), of the last forward
};

}  // namespace

template <typename T>
std::unique_ptr<RowNorm<T>> make_cuda_row_norm(const RowNormShape& shape,
                                               const Launch& launch,
                                               device::Arena& arena) {
  return std::make_unique<CudaRowNorm<T>>(shape, launch, arena);
}

template decltype(make_cuda_row_norm<float>) make_cuda_row_norm<float>;
template decltype(make_cuda_row_norm<device::Bf16>) make_cuda_row_norm<device::Bf16>;
template decltype(make_cuda_row_norm<device::Half>) make_cuda_row_norm<device::Half>;

}  // namespace scalestudy::ops

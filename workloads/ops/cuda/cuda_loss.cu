// Losses: a block a row, then one block that adds up the rows.
#include <stdexcept>

#include "workloads/ops/cuda/cuda_kernels.h"
#include "workloads/ops/cuda/cuda_launch.cuh"

namespace scalestudy::ops {
namespace {

__device__ float factor_of(const LossScale* loss_scale) {
  return loss_scale == nullptr ? 1.0F : loss_scale->scale;
}

// Adds scale * (sum of `values`) to *loss; one block.
__global__ void add_rows_kernel(const double* values,
                                std::size_t count,
                                double scale,
                                double* loss) {
  double own = 0.0;
  for (std::size_t i = threadIdx.x; i < count; i += kThreads) {
    own += values[i];
  }
  const double total = over_block(own, Plus{});
  if (threadIdx.x == 0) {
    *loss += scale * total;
  }
}

template <typename T>
__global__ void softmax_cross_entropy_kernel(
    Matrix<T> logits, Labels labels, double scale, const LossScale* loss_scale, double* losses) {
  T* const row = logits.data + blockIdx.x * logits.columns;
  const auto label = static_cast<std::size_t>(labels.values[blockIdx.x]);
  float largest = row[0];
  for (std::size_t i = threadIdx.x; i < labels.classes; i += kThreads) {
    largest = Larger{}(largest, row[i]);
  }
  largest = over_block(largest, Larger{});
  const float label_logit = static_cast<float>(row[label]) - largest;
  float sum = 0.0F;
  for (std::size_t i = threadIdx.x; i < labels.classes; i += kThreads) {
    sum += expf(static_cast<float>(row[i]) - largest);
  }
  sum = over_block(sum, Plus{});
  const auto gradient_scale = static_cast<float>(scale * factor_of(loss_scale));
  for (std::size_t i = threadIdx.x; i < labels.classes; i += kThreads) {
    const float probability = expf(static_cast<float>(row[i]) - largest) / sum;
    row[i] = T((i == label ? probability - 1.0F : probability) * gradient_scale);
  }
  for (std::size_t i = labels.classes + threadIdx.x; i < logits.columns; i += kThreads) {
    row[i] = T(0.0F);
  }
  if (threadIdx.x == 0) {
    losses[blockIdx.x] = log(static_cast<double>(sum)) - label_logit;
  }
}

template <typename T>
__global__ void mean_squared_error_kernel(
    Matrix<T> output, const T* target, double scale, const LossScale* loss_scale, double* losses) {
  const std::size_t begin = blockIdx.x * output.columns;
  const auto columns = static_cast<double>(output.columns);
  const auto factor = static_cast<float>(2.0 * scale * factor_of(loss_scale) / columns);
  float sum = 0.0F;
  for (std::size_t i = begin + threadIdx.x; i < begin + output.columns; i += kThreads) {
    const float difference = static_cast<float>(output.data[i]) - static_cast<float>(target[i]);
    sum += difference * difference;
    output.data[i] = T(factor * difference);
  }
  sum = over_block(sum, Plus{});
  if (threadIdx.x == 0) {
    losses[blockIdx.x] = sum / columns;
  }
}

void check_rows(std::size_t rows, const Launch& launch) {
  if (rows > launch.scratch.size()) {
    throw std::length_error("a loss has " + std::to_string(rows) + " rows, more than the " +
                            std::to_string(launch.scratch.size()) + " there is room for");
  }
}

void add_rows(std::size_t rows, double scale, double* loss, const Launch& launch) {
  launch_kernel("add_rows_kernel",
                {1, kThreads, launch.stream},
                add_rows_kernel,
                launch.scratch.data(),
                rows,
                scale,
                loss);
}

}  // namespace

template <typename T>
void cuda_softmax_cross_entropy(Matrix<T> logits,
                                const Labels& labels,
                                double scale,
                                double* loss,
                                const LossScale* loss_scale,
                                const Launch& launch) {
  check_rows(logits.rows, launch);
  const auto blocks = static_cast<unsigned>(logits.rows);
  launch_kernel("softmax_cross_entropy_kernel",
                {blocks, kThreads, launch.stream},
                softmax_cross_entropy_kernel<T>,
                logits,
                labels,
                scale,
                loss_scale,
                launch.scratch.data());
  add_rows(logits.rows, scale, loss, launch);
}

template <typename T>
void cuda_mean_squared_error(Matrix<T> output,
                             const T* target,
                             double scale,
                             double* loss,
                             const LossScale* loss_scale,
                             const Launch& launch) {
  check_rows(output.rows, launch);
  const auto blocks = static_cast<unsigned>(output.rows);
  launch_kernel("mean_squared_error_kernel",
                {blocks, kThreads, launch.stream},
                mean_squared_error_kernel<T>,
                output,
                target,
                scale,
                loss_scale,
                launch.scratch.data());
  add_rows(output.rows, scale, loss, launch);
}

#define INSTANTIATE(T)                                                             \
  template void cuda_softmax_cross_entropy(                                        \
      Matrix<T>, const Labels&, double, double*, const LossScale*, const Launch&); \
  template void cuda_mean_squared_error(                                           \
      Matrix<T>, const T*, double, double*, const LossScale*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);
#undef INSTANTIATE

}  // namespace scalestudy::ops

// Functions that queue this program's own kernels. Pointers are device memory; T is float, Bf16 or
// Half, arithmetic and sums are in float. Sums are added up in an order that depends on shapes
// alone.
#pragma once

#include <cstddef>
#include <span>

#include <cuda_runtime_api.h>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

// Where a kernel runs, and room for its partial sums.
struct Launch {
  cudaStream_t stream;
  std::span<double> scratch;
};

// Each function computes what the one of Ops with its name does (ops.h).
template <typename T>
void cuda_relu_dropout_forward(Matrix<T> y,
                               const ReluDropout<T>& function,
                               const DropoutKey& key,
                               const Launch& launch);
template <typename T>
void cuda_relu_dropout_backward(Matrix<T> dy,
                                const T* y,
                                const ReluDropout<T>& function,
                                T* bias_gradient,
                                const Launch& launch);
template <typename T>
void cuda_column_sums(Matrix<T> dy, T* sums, const Launch& launch);
template <typename T>
void cuda_average_positions(const T* x, std::size_t positions, Matrix<T> y, const Launch& launch);
template <typename T>
void cuda_spread_positions(Matrix<T> dy, std::size_t positions, T* dx, const Launch& launch);
template <typename To, typename From>
void cuda_add(std::span<To> y, const From* x, const Launch& launch);
void cuda_scale(std::span<float> values, float factor, const Launch& launch);
template <typename To, typename From>
void cuda_convert(std::span<To> y, const From* x, const Launch& launch);

// Throws std::length_error for more rows than `scratch` has room for.
template <typename T>
void cuda_softmax_cross_entropy(Matrix<T> logits,
                                const Labels& labels,
                                double scale,
                                double* loss,
                                const LossScale* loss_scale,
                                const Launch& launch);
template <typename T>
void cuda_mean_squared_error(Matrix<T> output,
                             const T* target,
                             double scale,
                             double* loss,
                             const LossScale* loss_scale,
                             const Launch& launch);

template <typename T>
void cuda_update(const Sgd<float>& rule,
                 const Weights<T>& weights,
                 float* velocity,
                 const Launch& launch);
template <typename T>
void cuda_update(
    const AdamW<float>& rule, const Weights<T>& weights, float* m, float* v, const Launch& launch);
template <typename T>
void cuda_find_overflow(std::span<const T> gradients, LossScale* loss_scale, const Launch& launch);
void cuda_find_overflow(const double* square_sum, LossScale* loss_scale, const Launch& launch);
template <typename T>
void cuda_add_squares(std::span<const T> values, double* sum, const Launch& launch);
void cuda_advance(LossScale* loss_scale, const Launch& launch);

}  // namespace scalestudy::ops

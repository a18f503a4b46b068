// Operations over images of the CPU backend.
#pragma once

#include <memory>

#include "workloads/ops/cpu/onednn.h"
#include "workloads/ops/ops.h"

namespace scalestudy::ops {

// T is float, or Bf16, whose products are summed in fp32.
// - kernels: receives the names of the chosen ones.
template <typename T>
std::unique_ptr<Convolution<T>> make_onednn_convolution(const ConvolutionShape& shape,
                                                        device::Arena& arena,
                                                        Kernels& kernels);
template <typename T>
std::unique_ptr<Convolution<T>> make_reference_convolution(const ConvolutionShape& shape);

template <typename T>
std::unique_ptr<BatchNorm<T>> make_cpu_batch_norm(const BatchNormShape& shape,
                                                  int threads,
                                                  device::Arena& arena);

template <typename T>
std::unique_ptr<MaxPooling<T>> make_cpu_max_pooling(const PoolingShape& shape,
                                                    int threads,
                                                    device::Arena& arena);

// Ops<T>::average_positions() and its gradient, Ops<T>::spread_positions().
template <typename T>
void cpu_average_positions(const T* x, std::size_t positions, Matrix<T> y, int threads);
template <typename T>
void cpu_spread_positions(Matrix<T> dy, std::size_t positions, T* dx, int threads);

}  // namespace scalestudy::ops

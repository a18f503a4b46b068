// The CUDA backend's prepared operations; convolution.h, normalization.h and so on say what they
// compute. The arena and what a launch or context refers to outlive them.
#pragma once

#include <memory>

#include "workloads/ops/cuda/cuda_kernels.h"

namespace scalestudy::ops {

class CudaContext;

template <typename T>
std::unique_ptr<Convolution<T>> make_cuda_convolution(const ConvolutionShape& shape,
                                                      CudaContext& context);
template <typename T>
std::unique_ptr<BatchNorm<T>> make_cuda_batch_norm(const BatchNormShape& shape,
                                                   const Launch& launch,
                                                   device::Arena& arena);
template <typename T>
std::unique_ptr<MaxPooling<T>> make_cuda_max_pooling(const PoolingShape& shape,
                                                     const Launch& launch,
                                                     device::Arena& arena);
template <typename T>
std::unique_ptr<Recurrent<T>> make_cuda_recurrent(const RecurrentShape& shape,
                                                  CudaContext& context,
                                                  device::Arena& arena);
template <typename T>
std::unique_ptr<Embedding<T>> make_cuda_embedding(const EmbeddingShape& shape,
                                                  const Launch& launch,
                                                  device::Arena& arena);
template <typename T>
std::unique_ptr<RowNorm<T>> make_cuda_row_norm(const RowNormShape& shape,
                                               const Launch& launch,
                                               device::Arena& arena);
template <typename T>
std::unique_ptr<Attention<T>> make_cuda_attention(const AttentionShape& shape,
                                                  CudaContext& context,
                                                  device::Arena& arena);
template <typename T>
std::unique_ptr<Activation<T>> make_cuda_activation(const ActivationShape& shape,
                                                    const Launch& launch);
template <typename T>
std::unique_ptr<TopK<T>> make_cuda_top_k(std::size_t most,
                                         const Launch& launch,
                                         device::Arena& arena);

}  // namespace scalestudy::ops

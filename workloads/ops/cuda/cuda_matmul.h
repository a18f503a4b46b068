// Matrix products of the CUDA backend.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/ops/cuda/cuda_context.h"

namespace scalestudy::ops {

// Several products of one shape: the operands of the next one lie `stride` elements further on.
struct MatmulBatch {
  std::size_t count = 1;
  std::size_t a_stride = 0;
  std::size_t b_stride = 0;
  std::size_t c_stride = 0;
  float factor = 1.0F;  // C = factor * op(A) op(B)
};

// A matrix product through cuBLASLt that sums in float. It chooses its algorithm at the first run,
// when the operands and their alignment are known, and again only for operands with less alignment
// than any before. Operands of fp32 are never rounded: an algorithm that would is an error.
template <typename T>
std::unique_ptr<Matmul<T>> make_cuda_matmul(const MatmulShape& shape,
                                            CudaContext& context,
                                            const MatmulBatch& batch = {});

}  // namespace scalestudy::ops

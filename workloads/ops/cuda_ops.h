// Operations on a GPU: cuBLASLt, cuDNN, and kernels of our own for the rest.
#pragma once

#include <memory>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

struct CudaOptions {
  bool has_tf32 = false;          // float products may round their inputs to TF32
  bool is_deterministic = false;  // the same bits in every run on this type of device
};

// `arena` is on a CudaDevice and outlives the operations; their common workspaces come from it at
// once. Work is queued on the device's compute queue. T is float, Bf16 or Half.
template <typename T>
std::unique_ptr<Ops<T>> make_cuda_ops(device::Arena& arena, const CudaOptions& options);

}  // namespace scalestudy::ops

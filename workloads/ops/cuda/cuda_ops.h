// Operations on a GPU: cuBLASLt, cuDNN, and this program's own kernels for the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

struct CudaOptions {
  bool has_tf32 = false;              // float products may round their inputs to TF32
  bool has_cudnn_tf32 = false;        // float convolutions and recurrences may
  bool is_deterministic = false;      // the same bits in every run on this type of device
  bool has_timed_algorithms = false;  // false: the libraries' own order decides
  std::size_t workspace_bytes = std::size_t{64} << 20U;  // that algorithms may use
  bool has_poisoned_workspace = false;                   // for tests: NaN before every use
  // Replaces the bytes by those of rank 0 on every rank; empty if there is one rank. Main thread
  // only.
  std::function<void(std::span<std::byte>)> from_root = nullptr;
};

// `arena` is on a CudaDevice and outlives the operations; their common workspaces come from it at
// once. Work is queued on the device's compute queue. T is float, Bf16 or Half.
template <typename T>
std::unique_ptr<Ops<T>> make_cuda_ops(device::Arena& arena, const CudaOptions& options);

}  // namespace scalestudy::ops

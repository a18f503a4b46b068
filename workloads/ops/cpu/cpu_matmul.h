// Matrix products of the CPU backend.
#pragma once

#include <memory>

#include "workloads/ops/cpu/onednn.h"
#include "workloads/ops/ops.h"

namespace scalestudy::ops {

// T is float, or Bf16, whose products are summed in fp32.
// - kernels: receives the name of the chosen one.
template <typename T>
std::unique_ptr<Matmul<T>> make_onednn_matmul(const MatmulShape& shape,
                                              device::Arena& arena,
                                              Kernels& kernels);
template <typename T>
std::unique_ptr<Matmul<T>> make_reference_matmul(const MatmulShape& shape);

}  // namespace scalestudy::ops

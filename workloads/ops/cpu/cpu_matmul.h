// Matrix products of the CPU backend.
#pragma once

#include <memory>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

std::unique_ptr<Matmul<float>> make_onednn_matmul(const MatmulShape& shape, device::Arena& arena);
template <typename T>
std::unique_ptr<Matmul<T>> make_reference_matmul(const MatmulShape& shape);

}  // namespace scalestudy::ops

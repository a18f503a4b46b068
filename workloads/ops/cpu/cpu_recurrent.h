// Recurrent layers of the CPU backend: the products of `ops`, and loops for the cells.
#pragma once

#include <memory>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

template <typename T>
std::unique_ptr<Recurrent<T>> make_cpu_recurrent(const RecurrentShape& shape,
                                                 int threads,
                                                 Ops<T>& ops,
                                                 device::Arena& arena);

}  // namespace scalestudy::ops

// Products of matrices.
#pragma once

#include <cstddef>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

// C (m, n) = op(A) (m, k) * op(B) (k, n) [+ bias (n), added to every row]; all row-major.
struct MatmulShape {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  bool a_transposed = false;  // A is stored (k, m)
  bool b_transposed = false;  // B is stored (n, k)
  bool has_bias = false;
};

// One matrix product, prepared once and run every step. run() does not allocate in this program's
// code.
template <typename T>
class Matmul : public device::Interface {
 public:
  // bias  (n), nullptr when the shape has none.
  virtual void run(const T* a, const T* b, const T* bias, T* c) = 0;
};

}  // namespace scalestudy::ops

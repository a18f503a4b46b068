// The operations a model is made of; one implementation a backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workloads/device/arena.h"
#include "workloads/ops/elementwise.h"
#include "workloads/ops/philox.h"

namespace scalestudy::ops {

// Row-major, dense.
template <typename T>
struct Matrix {
  T* data;
  std::size_t rows;
  std::size_t columns;
};

// C (m, n) = op(A) (m, k) * op(B) (k, n) [+ bias (n), added to every row]; all row-major.
struct MatmulShape {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  bool a_transposed = false;  // A is stored (k, m)
  bool b_transposed = false;  // B is stored (n, k)
  bool has_bias = false;
};

// One matrix product, prepared once and run every step. Allocates nothing in run().
template <typename T>
class Matmul {
 public:
  Matmul() = default;
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;
  virtual ~Matmul() = default;

  // bias  (n), nullptr when the shape has none.
  virtual void run(const T* a, const T* b, const T* bias, T* c) = 0;
};

// Which numbers a dropout mask is made of. Row i of the batch is sample first_sample + i of the
// step.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t layer = 0;
  std::uint32_t first_sample = 0;
};

// One thread calls; an implementation may use more inside. Every call has finished its work, or has
// been queued in call order behind the earlier ones, when it returns.
template <typename T>
class Ops {
 public:
  Ops() = default;
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;
  virtual ~Ops() = default;

  // Scratch memory comes from `arena`, which outlives the product.
  virtual std::unique_ptr<Matmul<T>> make_matmul(const MatmulShape& shape,
                                                 device::Arena& arena) = 0;

  // y = dropout(relu(y)) in place.
  virtual void relu_dropout_forward(Matrix<T> y,
                                    const ReluDropout<T>& function,
                                    const DropoutKey& key) = 0;

  // dy = gradient before relu and dropout, in place; bias_gradient (columns) = its column sums.
  virtual void relu_dropout_backward(Matrix<T> dy,
                                     const T* y,
                                     const ReluDropout<T>& function,
                                     T* bias_gradient) = 0;

  // sums (columns) = column sums of dy.
  virtual void column_sums(Matrix<T> dy, T* sums) = 0;

  // *loss += scale * sum over the rows of -log softmax(row)[label]; `logits` become its gradient.
  // `loss` is device memory.
  virtual void softmax_cross_entropy(Matrix<T> logits,
                                     const std::int32_t* labels,
                                     double scale,
                                     double* loss) = 0;

  // *loss += scale * sum over the rows of the mean over columns of (output - target)^2; `output`
  // becomes its gradient.
  virtual void mean_squared_error(Matrix<T> output,
                                  const T* target,
                                  double scale,
                                  double* loss) = 0;

  // One optimizer step over flat buffers of equal length.
  virtual void update(const Sgd<T>& rule, std::span<T> p, const T* g, T* velocity) = 0;
  virtual void update(const AdamW<T>& rule, std::span<T> p, const T* g, T* m, T* v) = 0;
};

// CPU: float through oneDNN, double by plain loops (the correctness oracle).
//   threads  cores this rank may use, >= 1; set for the whole process.
template <typename T>
std::unique_ptr<Ops<T>> make_cpu_ops(int threads);

// Version of the library behind float products, "2.6.3".
const char* onednn_version();

}  // namespace scalestudy::ops

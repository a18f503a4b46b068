// Gradients of matrices as products of two thin ones, which is what PowerSGD sends for them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/ops/ops.h"

namespace scalestudy::sync {

// A parameter tensor's place among the gradients: a row-major matrix, or with one row or column a
// vector, which travels whole.
struct GradientTensor {
  std::size_t first;
  std::size_t rows;
  std::size_t columns;
};

// Elements that travel for gradients of rank `rank` (for each matrix at most its smaller side): as
// many for each row and each column.
struct LowRankCounts {
  std::size_t bases = 0;  // of the smaller sides
  std::size_t vectors = 0;
  std::size_t coefficients = 0;  // of the larger sides

  std::size_t first() const { return bases + vectors; }  // travel together
};
LowRankCounts low_rank_counts(std::span<const GradientTensor> tensors, std::size_t rank);

// PowerSGD with error feedback: each rank adds its residuals to its next gradients. A matrix M,
// this rank's gradient plus residual, is approximated by B C'. B has the orthonormal columns of the
// sum over ranks of M C_old, and C = M' B. The new residual is M - B C'. The sum over ranks of C
// gives the gradient B C' everywhere, and C_old of the next step. A matrix taller than wide is
// treated as its transpose: with as many columns as its smaller side, B is a basis of everything
// and nothing is lost. source: Vogels, Karimireddy, Jaggi, "PowerSGD", NeurIPS 2019, algorithms 1
// and 2.
//
// A step is project(), fit() and restore(); ranks sum what the first two return. T is float or
// double. Bases are made orthonormal by the host, which on a GPU waits for it.
template <typename T>
class LowRank {
 public:
  // All arguments outlive this; scratch memory comes from `arena`.
  // - rank: at least 1.
  LowRank(ops::Ops<T>& ops,
          device::Arena& arena,
          std::span<T> gradients,
          std::span<const GradientTensor> tensors,
          std::size_t rank);

  comm::Buffer project();
  comm::Buffer fit();
  void restore();

  // Returns to the state after construction: no residuals, and first coefficients that are the same
  // on every rank.
  void reset();

  // The residuals in device memory, matrix after matrix.
  std::span<const T> residuals() const { return residuals_; }

 private:
  struct Matrix {
    std::span<T> gradients;
    std::span<T> residuals;
    std::span<T> basis;         // (smaller side, rank)
    std::span<T> coefficients;  // (larger side, rank)
    std::size_t rank;
    bool is_tall;
    std::unique_ptr<ops::Matmul<T>> to_basis;
    std::unique_ptr<ops::Matmul<T>> to_coefficients;
    std::unique_ptr<ops::Matmul<T>> product;
  };
  struct Vector {
    std::span<T> gradients;
    std::span<T> travels;
  };

  void add_matrix(const GradientTensor& tensor,
                  std::size_t rank,
                  LowRankCounts& used,
                  std::size_t& used_residuals);
  void orthonormalize_bases();
  // Sets the matrix's gradients to its basis times its coefficients.
  void multiply(Matrix& matrix);

  ops::Ops<T>& ops_;
  device::Arena& arena_;
  std::span<T> gradients_;
  LowRankCounts counts_;
  std::span<T> residuals_;
  std::span<T> first_;  // bases, then vectors
  std::span<T> coefficients_;
  std::vector<T> host_bases_;  // empty if the host can read the device's memory
  std::vector<Matrix> matrices_;
  std::vector<Vector> vectors_;
};

extern template class LowRank<float>;
extern template class LowRank<double>;

}  // namespace scalestudy::sync

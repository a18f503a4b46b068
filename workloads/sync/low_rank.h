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

// Elements that travel for a rank of `rank`, of each matrix at most its smaller side: as many of
// each row and each column.
struct LowRankCounts {
  std::size_t bases = 0;  // of the smaller sides
  std::size_t vectors = 0;
  std::size_t coefficients = 0;  // of the larger sides

  std::size_t first() const { return bases + vectors; }  // travel together
};
LowRankCounts low_rank_counts(std::span<const GradientTensor> tensors, std::size_t rank);

// What stays behind on each rank is added to its next gradients. A matrix M, this rank's gradient
// and residual, is taken as B C', B with the orthonormal columns of the sum over ranks of M C_old
// and C = M' B; the residual is M less that, and the sum over ranks of C is what becomes B C'
// everywhere and C_old of the next step. Of a matrix taller than wide, all of that of its
// transpose: with as many columns as its smaller side, B is a basis of everything and nothing is
// lost. source: Vogels, Karimireddy, Jaggi, "PowerSGD", NeurIPS 2019, algorithms 1 and 2.
//
// A step is project(), fit() and restore(); ranks sum what the first two return. T is float or
// double. Bases are made orthonormal by the host, which on a GPU waits for it.
template <typename T>
class LowRank {
 public:
  // Scratch memory comes from `arena`. All outlive this.
  //   rank  at least 1
  LowRank(ops::Ops<T>& ops,
          device::Arena& arena,
          std::span<T> gradients,
          std::span<const GradientTensor> tensors,
          std::size_t rank);

  comm::Buffer project();
  comm::Buffer fit();
  void restore();

  // As constructed: no residuals, and first coefficients that are the same on every rank.
  void reset();

  // Device memory, matrix after matrix.
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
  // Its basis times its coefficients, to its gradients.
  void multiply(Matrix& matrix);

  ops::Ops<T>& ops_;
  device::Arena& arena_;
  std::span<T> gradients_;
  LowRankCounts counts_;
  std::span<T> residuals_;
  std::span<T> first_;  // bases, then vectors
  std::span<T> coefficients_;
  std::vector<T> host_bases_;  // empty where the host reads the device's memory
  std::vector<Matrix> matrices_;
  std::vector<Vector> vectors_;
};

extern template class LowRank<float>;
extern template class LowRank<double>;

}  // namespace scalestudy::sync

#include "workloads/sync/low_rank.h"

#include <algorithm>

#include "workloads/ops/philox.h"
#include "workloads/sync/orthonormal.h"

namespace scalestudy::sync {
namespace {

bool is_vector(const GradientTensor& tensor) {
  return std::min(tensor.rows, tensor.columns) == 1;
}

std::size_t rank_of(const GradientTensor& tensor, std::size_t rank) {
  return std::min({rank, tensor.rows, tensor.columns});
}

std::size_t residual_count(std::span<const GradientTensor> tensors) {
  std::size_t count = 0;
  for (const GradientTensor& tensor : tensors) {
    count += is_vector(tensor) ? 0 : tensor.rows * tensor.columns;
  }
  return count;
}

}  // namespace

LowRankCounts low_rank_counts(std::span<const GradientTensor> tensors, std::size_t rank) {
  LowRankCounts counts;
  for (const GradientTensor& tensor : tensors) {
    if (is_vector(tensor)) {
      counts.vectors += tensor.rows * tensor.columns;
      continue;
    }
    counts.bases += rank_of(tensor, rank) * std::min(tensor.rows, tensor.columns);
    counts.coefficients += rank_of(tensor, rank) * std::max(tensor.rows, tensor.columns);
  }
  return counts;
}

template <typename T>
LowRank<T>::LowRank(ops::Ops<T>& ops,
                    device::Arena& arena,
                    std::span<T> gradients,
                    std::span<const GradientTensor> tensors,
                    std::size_t rank)
    : ops_(ops),
      arena_(arena),
      gradients_(gradients),
      counts_(low_rank_counts(tensors, rank)),
      residuals_(arena.take<T>(residual_count(tensors))),
      first_(arena.take<T>(counts_.first())),
      coefficients_(arena.take<T>(counts_.coefficients)) {
  LowRankCounts used;
  std::size_t used_residuals = 0;
  for (const GradientTensor& tensor : tensors) {
    if (is_vector(tensor)) {
      const std::size_t count = tensor.rows * tensor.columns;
      vectors_.push_back({gradients.subspan(tensor.first, count),
                          first_.subspan(counts_.bases + used.vectors, count)});
      used.vectors += count;
    } else {
      add_matrix(tensor, rank_of(tensor, rank), used, used_residuals);
    }
  }
  if (!arena.device().is_host_memory()) {
    host_bases_.resize(counts_.bases);
  }
  reset();
}

template <typename T>
void LowRank<T>::add_matrix(const GradientTensor& tensor,
                            std::size_t rank,
                            LowRankCounts& used,
                            std::size_t& used_residuals) {
  const std::size_t count = tensor.rows * tensor.columns;
  const std::size_t smaller = std::min(tensor.rows, tensor.columns);
  const std::size_t larger = std::max(tensor.rows, tensor.columns);
  const bool is_tall = tensor.rows > tensor.columns;
  const auto make = [&](const ops::MatmulShape& shape) { return ops_.make_matmul(shape, arena_); };
  matrices_.push_back(
      {.gradients = gradients_.subspan(tensor.first, count),
       .residuals = residuals_.subspan(used_residuals, count),
       .basis = first_.subspan(used.bases, smaller * rank),
       .coefficients = coefficients_.subspan(used.coefficients, larger * rank),
       .rank = rank,
       .is_tall = is_tall,
       .to_basis = make({.m = smaller, .n = rank, .k = larger, .a_transposed = is_tall}),
       .to_coefficients = make({.m = larger, .n = rank, .k = smaller, .a_transposed = !is_tall}),
       .product = make({.m = tensor.rows, .n = tensor.columns, .k = rank, .b_transposed = true})});
  used_residuals += count;
  used.bases += smaller * rank;
  used.coefficients += larger * rank;
}

template <typename T>
comm::Buffer LowRank<T>::project() {
  for (Matrix& matrix : matrices_) {
    ops_.add(matrix.residuals, matrix.gradients.data());
    matrix.to_basis->run(
        matrix.residuals.data(), matrix.coefficients.data(), nullptr, matrix.basis.data());
  }
  for (const Vector& vector : vectors_) {
    arena_.device().copy(
        vector.travels.data(), vector.gradients.data(), vector.gradients.size_bytes());
  }
  return {first_.data(), first_.size(), device::kDataType<T>};
}

template <typename T>
comm::Buffer LowRank<T>::fit() {
  orthonormalize_bases();
  for (Matrix& matrix : matrices_) {
    matrix.to_coefficients->run(
        matrix.residuals.data(), matrix.basis.data(), nullptr, matrix.coefficients.data());
    multiply(matrix);
    ops_.scale(matrix.gradients, T{-1});
    ops_.add(matrix.residuals, matrix.gradients.data());
  }
  return {coefficients_.data(), coefficients_.size(), device::kDataType<T>};
}

template <typename T>
void LowRank<T>::restore() {
  for (Matrix& matrix : matrices_) {
    multiply(matrix);
  }
  for (const Vector& vector : vectors_) {
    arena_.device().copy(
        vector.gradients.data(), vector.travels.data(), vector.gradients.size_bytes());
  }
}

template <typename T>
void LowRank<T>::multiply(Matrix& matrix) {
  const T* const left = matrix.is_tall ? matrix.coefficients.data() : matrix.basis.data();
  const T* const right = matrix.is_tall ? matrix.basis.data() : matrix.coefficients.data();
  matrix.product->run(left, right, nullptr, matrix.gradients.data());
}

template <typename T>
void LowRank<T>::orthonormalize_bases() {
  device::Device& device = arena_.device();
  const std::size_t bytes = host_bases_.size() * sizeof(T);
  T* const bases = host_bases_.empty() ? first_.data() : host_bases_.data();
  if (bytes > 0) {
    device.copy_to_host(bases, first_.data(), bytes);
  }
  for (const Matrix& matrix : matrices_) {
    T* const basis = bases + (matrix.basis.data() - first_.data());
    orthonormalize(std::span(basis, matrix.basis.size()), matrix.rank);
  }
  if (bytes > 0) {
    device.copy_to_device(first_.data(), bases, bytes);
  }
}

template <typename T>
void LowRank<T>::reset() {
  std::vector<T> initial(coefficients_.size());
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const ops::PhiloxBlock words =
        ops::philox4x32_10({{static_cast<std::uint32_t>(i), 0, 0, 1}}, {{0, 0}});
    initial[i] = static_cast<T>(ops::symmetric_uniform(words.word[0]));
  }
  arena_.device().clear(residuals_.data(), residuals_.size_bytes());
  arena_.device().copy_to_device(coefficients_.data(), initial.data(), initial.size() * sizeof(T));
}

template class LowRank<float>;
template class LowRank<double>;

}  // namespace scalestudy::sync

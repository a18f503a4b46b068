#include "workloads/sync/orthonormal.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "workloads/ops/philox.h"

namespace scalestudy::sync {
namespace {

// What is left of a column, of its length, that is taken for rounding.
template <typename T>
constexpr double kRounding = 64.0 * static_cast<double>(std::numeric_limits<T>::epsilon());

template <typename T>
class Columns {
 public:
  Columns(std::span<T> matrix, std::size_t count)
      : matrix_(matrix), count_(count), rows_(matrix.size() / count) {}

  T& at(std::size_t row, std::size_t column) { return matrix_[row * count_ + column]; }

  double product(std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t row = 0; row < rows_; ++row) {
      sum += static_cast<double>(at(row, a)) * static_cast<double>(at(row, b));
    }
    return sum;
  }

  double length(std::size_t column) { return std::sqrt(product(column, column)); }

  // column += factor * other
  void add(std::size_t column, double factor, std::size_t other) {
    for (std::size_t row = 0; row < rows_; ++row) {
      at(row, column) =
          static_cast<T>(static_cast<double>(at(row, column)) + factor * at(row, other));
    }
  }

  void scale(std::size_t column, double factor) {
    for (std::size_t row = 0; row < rows_; ++row) {
      at(row, column) = static_cast<T>(factor * static_cast<double>(at(row, column)));
    }
  }

  void draw(std::size_t column, std::uint32_t attempt) {
    for (std::size_t row = 0; row < rows_; ++row) {
      const ops::PhiloxBlock words = ops::philox4x32_10(
          {{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), attempt, 0}},
          {{0, 0}});
      at(row, column) = static_cast<T>(ops::symmetric_uniform(words.word[0]));
    }
  }

 private:
  std::span<T> matrix_;
  std::size_t count_;
  std::size_t rows_;
};

}  // namespace

template <typename T>
void orthonormalize(std::span<T> matrix, std::size_t columns) {
  Columns<T> all(matrix, columns);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const double before = all.length(column);
      if (!std::isfinite(before)) {
        return;  // the loss is not finite either, and ends the run
      }
      if (before > 0.0) {
        all.scale(column, 1.0 / before);
      }
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t earlier = 0; earlier < column; ++earlier) {
          all.add(column, -all.product(column, earlier), earlier);
        }
      }
      const double left = all.length(column);
      if (left > kRounding<T>) {
        all.scale(column, 1.0 / left);
        break;
      }
      all.draw(column, attempt);
    }
  }
}

template void orthonormalize(std::span<float>, std::size_t);
template void orthonormalize(std::span<double>, std::size_t);

}  // namespace scalestudy::sync

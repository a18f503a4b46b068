// LayerNorm and RMSNorm on the CPU.
#include <algorithm>
#include <cmath>

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

template <typename Real>
struct RowStatistics {
  Real mean;               // 0 for RMSNorm
  Real inverse_deviation;  // 1 / sqrt(mean square + epsilon)
};

template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED RowStatistics<Real> statistics_of(const T* x, const RowNormShape& shape) {
  const std::size_t columns = shape.columns;
  const Real share = Real(1) / static_cast<Real>(columns);
  Real mean = 0;
  if (!shape.is_rms) {
#pragma omp simd reduction(+ : mean)
    for (std::size_t i = 0; i < columns; ++i) {
      mean += x[i];
    }
    mean *= share;
  }
  Real square = 0;
#pragma omp simd reduction(+ : square)
  for (std::size_t i = 0; i < columns; ++i) {
    square += (x[i] - mean) * (x[i] - mean);
  }
  return {mean, Real(1) / std::sqrt(square * share + static_cast<Real>(shape.epsilon))};
}

// shift  nullptr for RMSNorm.
template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED void normalise_row(const T* x,
                                         const T* scale,
                                         const T* shift,
                                         T* y,
                                         std::size_t columns,
                                         RowStatistics<Real> statistics) {
  const Real mean = statistics.mean;
  const Real factor = statistics.inverse_deviation;
  if (shift == nullptr) {
#pragma omp simd
    for (std::size_t i = 0; i < columns; ++i) {
      y[i] = device::rounded<T>(x[i] * factor * scale[i]);
    }
    return;
  }
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    y[i] = device::rounded<T>((x[i] - mean) * factor * scale[i] + shift[i]);
  }
}

// One row's part of a backward pass.
template <typename T>
struct Row {
  const T* x;
  const T* dy;
  T* dx;
};

// With n = (x - mean) / deviation and g = dy * scale: dx (+)= (g - mean(g) - n mean(g n)) /
// deviation, mean(g) only where a mean was subtracted. Adds dy n and dy to the sums.
template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED void backward_row(const Row<T>& row,
                                        const T* scale,
                                        Real* sums,  // (2, columns): of scale, of shift
                                        const RowNormShape& shape,
                                        RowStatistics<Real> statistics) {
  const T* x = row.x;
  const T* dy = row.dy;
  T* dx = row.dx;
  const std::size_t columns = shape.columns;
  const Real mean = statistics.mean;
  const Real factor = statistics.inverse_deviation;
  Real* dscale = sums;
  Real* dshift = sums + columns;
  Real gradient_sum = 0;
  Real product_sum = 0;
#pragma omp simd reduction(+ : gradient_sum, product_sum)
  for (std::size_t i = 0; i < columns; ++i) {
    const Real normal = (x[i] - mean) * factor;
    const Real gradient = dy[i] * scale[i];
    gradient_sum += gradient;
    product_sum += gradient * normal;
    dscale[i] += dy[i] * normal;
    dshift[i] += dy[i];
  }
  const Real share = Real(1) / static_cast<Real>(columns);
  const Real gradient_mean = shape.is_rms ? Real(0) : gradient_sum * share;
  const Real product_mean = product_sum * share;
  const Real residual = shape.is_residual ? Real(1) : Real(0);
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    const Real normal = (x[i] - mean) * factor;
    dx[i] = device::rounded<T>(residual * dx[i] +
                               factor * (dy[i] * scale[i] - gradient_mean - normal * product_mean));
  }
}

template <typename T>
class CpuRowNorm final : public RowNorm<T> {
  using Real = device::Real<T>;

 public:
  CpuRowNorm(const RowNormShape& shape, int threads, device::Arena& arena)
      : shape_(shape),
        threads_(threads),
        statistics_(arena.take<RowStatistics<Real>>(shape.rows)),
        sums_(arena.take<Real>(2 * static_cast<std::size_t>(threads) * shape.columns)) {}

  void forward(const T* x, const T* scale, const T* shift, T* y) override {
    const std::size_t columns = shape_.columns;
    for_parts(threads_, shape_.rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        statistics_[row] = statistics_of(x + row * columns, shape_);
        normalise_row(
            x + row * columns, scale, shift, y + row * columns, columns, statistics_[row]);
      }
    });
  }

  void backward(const T* x, const T* scale, const T* dy, T* dscale, T* dshift, T* dx) override {
    const std::size_t columns = shape_.columns;
    const auto parts = static_cast<std::size_t>(threads_);
    std::fill(sums_.begin(), sums_.end(), Real(0));
    // One part of the rows, and of the sums, a thread.
    for_parts(threads_, parts, [&](std::size_t first_part, std::size_t end_part) {
      for (std::size_t part = first_part; part < end_part; ++part) {
        const std::size_t end = shape_.rows * (part + 1) / parts;
        for (std::size_t row = shape_.rows * part / parts; row < end; ++row) {
          const std::size_t first = row * columns;
          backward_row(Row<T>{x + first, dy + first, dx + first},
                       scale,
                       part_sums(part),
                       shape_,
                       statistics_[row]);
        }
      }
    });
    for (std::size_t i = 0; i < columns; ++i) {
      Real scale_sum = 0;
      Real shift_sum = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        scale_sum += part_sums(part)[i];
        shift_sum += part_sums(part)[columns + i];
      }
      dscale[i] = static_cast<T>(scale_sum);
      if (!shape_.is_rms) {
        dshift[i] = static_cast<T>(shift_sum);
      }
    }
  }

 private:
  Real* part_sums(std::size_t part) const { return sums_.data() + 2 * part * shape_.columns; }

  RowNormShape shape_;
  int threads_;
  std::span<RowStatistics<Real>> statistics_;  // (rows), of the last forward
  std::span<Real> sums_;                       // (threads, 2, columns)
};

}  // namespace

template <typename T>
std::unique_ptr<RowNorm<T>> make_cpu_row_norm(const RowNormShape& shape,
                                              int threads,
                                              device::Arena& arena) {
  return std::make_unique<CpuRowNorm<T>>(shape, threads, arena);
}

template decltype(make_cpu_row_norm<float>) make_cpu_row_norm<float>;
template decltype(make_cpu_row_norm<double>) make_cpu_row_norm<double>;
template decltype(make_cpu_row_norm<device::Bf16>) make_cpu_row_norm<device::Bf16>;
template decltype(make_cpu_row_norm<device::Half>) make_cpu_row_norm<device::Half>;

}  // namespace scalestudy::ops

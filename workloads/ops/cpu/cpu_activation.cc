// GELU and SwiGLU on the CPU.

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

template <typename T>
SCALESTUDY_VECTORISED void gelu_range(const T* x, T* y, std::size_t count) {
  using Function = Gelu<device::Real<T>>;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    y[i] = device::rounded<T>(Function::forward(x[i]));
  }
}

// One row; dx may be dy.
template <typename T>
SCALESTUDY_VECTORISED void gelu_backward_row(const T* x, const T* dy, T* dx, std::size_t columns) {
  using Function = Gelu<device::Real<T>>;
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    dx[i] = device::rounded<T>(dy[i] * Function::derivative(x[i]));
  }
}

template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED void add_row(Real* totals, const T* row, std::size_t columns) {
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    totals[i] += row[i];
  }
}

template <typename T>
SCALESTUDY_VECTORISED void swiglu_row(const T* x, T* y, std::size_t columns) {
  using Function = SwiGlu<device::Real<T>>;
  const T* values = x + columns;
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    y[i] = device::rounded<T>(Function::forward(x[i], values[i]));
  }
}

template <typename T>
SCALESTUDY_VECTORISED void swiglu_backward_row(const T* x,
                                               const T* dy,
                                               T* dx,
                                               std::size_t columns) {
  using Real = device::Real<T>;
  using Function = SwiGlu<Real>;
  const T* values = x + columns;
  T* dvalues = dx + columns;
#pragma omp simd
  for (std::size_t i = 0; i < columns; ++i) {
    const Real gradient = dy[i];
    dx[i] = device::rounded<T>(gradient * values[i] * Function::gate_derivative(x[i]));
    dvalues[i] = device::rounded<T>(Function::forward(x[i], gradient));
  }
}

template <typename T>
class CpuGelu final : public Activation<T> {
 public:
  CpuGelu(const ActivationShape& shape, int threads) : shape_(shape), threads_(threads) {}

  void forward(const T* x, T* y) override {
    for_parts(threads_, shape_.rows * shape_.columns, [&](std::size_t begin, std::size_t end) {
      gelu_range(x + begin, y + begin, end - begin);
    });
  }

  void backward(const T* x, const T* dy, T* dx, T* bias_gradient) override {
    for_parts(threads_, shape_.columns, [&](std::size_t begin, std::size_t end) {
      if (bias_gradient == nullptr) {
        return backward_columns<device::Real<T>>(x, dy, dx, begin, end, nullptr);
      }
      sum_columns_of(bias_gradient, begin, end, [&](auto first, auto last, auto* totals) {
        backward_columns(x, dy, dx, first, last, totals);
      });
    });
  }

 private:
  // totals  (end - begin): receives column sums of dx; nullptr if they are not wanted.
  template <typename Real>
  void backward_columns(
      const T* x, const T* dy, T* dx, std::size_t begin, std::size_t end, Real* totals) const {
    for (std::size_t row = 0; row < shape_.rows; ++row) {
      const std::size_t first = row * shape_.columns + begin;
      gelu_backward_row(x + first, dy + first, dx + first, end - begin);
      if (totals != nullptr) {
        add_row(totals, dx + first, end - begin);
      }
    }
  }

  ActivationShape shape_;
  int threads_;
};

template <typename T>
class CpuSwiGlu final : public Activation<T> {
 public:
  CpuSwiGlu(const ActivationShape& shape, int threads) : shape_(shape), threads_(threads) {}

  void forward(const T* x, T* y) override {
    for_parts(threads_, shape_.rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        swiglu_row(x + 2 * row * shape_.columns, y + row * shape_.columns, shape_.columns);
      }
    });
  }

  void backward(const T* x, const T* dy, T* dx, T* /*bias_gradient*/) override {
    for_parts(threads_, shape_.rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::size_t first = 2 * row * shape_.columns;
        swiglu_backward_row(x + first, dy + row * shape_.columns, dx + first, shape_.columns);
      }
    });
  }

 private:
  ActivationShape shape_;
  int threads_;
};

}  // namespace

template <typename T>
std::unique_ptr<Activation<T>> make_cpu_activation(const ActivationShape& shape, int threads) {
  if (shape.is_swiglu) {
    return std::make_unique<CpuSwiGlu<T>>(shape, threads);
  }
  return std::make_unique<CpuGelu<T>>(shape, threads);
}

template std::unique_ptr<Activation<float>> make_cpu_activation(const ActivationShape&, int);
template std::unique_ptr<Activation<double>> make_cpu_activation(const ActivationShape&, int);
template std::unique_ptr<Activation<device::Bf16>> make_cpu_activation(const ActivationShape&, int);
template std::unique_ptr<Activation<device::Half>> make_cpu_activation(const ActivationShape&, int);

}  // namespace scalestudy::ops

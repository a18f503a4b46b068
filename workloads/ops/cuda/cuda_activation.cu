// GELU and SwiGLU.
#include "workloads/ops/activation.h"
#include "workloads/ops/cuda/cuda_columns.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class CudaActivation final : public Activation<T> {
 public:
  CudaActivation(const ActivationShape& shape, const Launch& launch)
      : shape_(shape), launch_(launch) {}

  void forward(const T* x, T* y) override {
    const std::size_t columns = shape_.columns;
    const bool is_swiglu = shape_.is_swiglu;
    for_each_cell(
        shape_.rows,
        columns,
        [=] __device__(std::size_t row, std::size_t column) {
          const std::size_t i = row * columns + column;
          const std::size_t gate = i + row * columns;
          y[i] = T(is_swiglu ? SwiGlu<float>::forward(x[gate], x[gate + columns])
                             : Gelu<float>::forward(x[i]));
        },
        launch_.stream);
  }

  void backward(const T* x, const T* dy, T* dx, T* bias_gradient) override {
    if (shape_.is_swiglu) {
      backward_swiglu(x, dy, dx);
    } else if (bias_gradient == nullptr) {
      for_each(
          shape_.rows * shape_.columns,
          [=] __device__(std::size_t i) {
            dx[i] = T(static_cast<float>(dy[i]) * Gelu<float>::derivative(x[i]));
          },
          launch_.stream);
    } else {
      backward_gelu_bias(x, dy, dx, bias_gradient);
    }
  }

  void backward_swiglu(const T* x, const T* dy, T* dx) {
    const std::size_t columns = shape_.columns;
    for_each_cell(
        shape_.rows,
        columns,
        [=] __device__(std::size_t row, std::size_t column) {
          const std::size_t i = row * columns + column;
          const std::size_t gate = i + row * columns;
          const float gradient = dy[i];
          const float x_gate = x[gate];
          const float x_value = x[gate + columns];
          dx[gate] = T(gradient * x_value * SwiGlu<float>::gate_derivative(x_gate));
          dx[gate + columns] = T(SwiGlu<float>::forward(x_gate, gradient));
        },
        launch_.stream);
  }

  void backward_gelu_bias(const T* x, const T* dy, T* dx, T* bias_gradient) {
    const std::size_t columns = shape_.columns;
    const auto term = [=] __device__(std::size_t row, std::size_t column, ColumnSums<1> & sums) {
      const std::size_t i = row * columns + column;
      const float gradient = static_cast<float>(dy[i]) * Gelu<float>::derivative(x[i]);
      dx[i] = T(gradient);
      sums.value[0] += gradient;
    };
    const auto result = [=] __device__(std::size_t column, const ColumnSums<1>& sums) {
      bias_gradient[column] = T(sums.value[0]);
    };
    sum_columns<1>(shape_.rows, columns, term, result, launch_.scratch, launch_.stream);
  }

 private:
  ActivationShape shape_;
  Launch launch_;
};

}  // namespace

template <typename T>
std::unique_ptr<Activation<T>> make_cuda_activation(const ActivationShape& shape,
                                                    const Launch& launch) {
  return std::make_unique<CudaActivation<T>>(shape, launch);
}

template decltype(make_cuda_activation<float>) make_cuda_activation<float>;
template decltype(make_cuda_activation<device::Bf16>) make_cuda_activation<device::Bf16>;
template decltype(make_cuda_activation<device::Half>) make_cuda_activation<device::Half>;

}  // namespace scalestudy::ops

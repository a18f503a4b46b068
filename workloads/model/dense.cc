#include "workloads/model/dense.h"

#include <algorithm>
#include <cmath>

#include "workloads/model/uniform.h"

namespace scalestudy::model {
namespace {

template <typename T>
class Dense final : public Layer<T> {
 public:
  Dense(const DenseShape& shape, ops::Ops<T>& ops, device::Arena& arena)
      : shape_(shape),
        ops_(ops),
        activation_(ops::make_relu_dropout<T>(shape.dropout)),
        relu_(ops::make_relu_dropout<T>(0.0)),
        forward_(ops.make_matmul(
            {.m = shape.batch, .n = shape.output_width, .k = shape.input_width, .has_bias = true},
            arena)),
        weight_gradient_(ops.make_matmul({.m = shape.input_width,
                                          .n = shape.output_width,
                                          .k = shape.batch,
                                          .a_transposed = true},
                                         arena)) {
    if (shape.needs_input_gradient) {
      input_gradient_ = ops.make_matmul(
          {.m = shape.batch, .n = shape.input_width, .k = shape.output_width, .b_transposed = true},
          arena);
    }
  }

  std::size_t input_width() const override { return shape_.input_width; }
  std::size_t output_width() const override { return shape_.output_width; }
  std::size_t padded_count() const override {
    return bias_count() + model::padded_count<T>(shape_.input_width * shape_.output_width);
  }

  void bind(T* parameters, T* gradients) override {
    bias_ = parameters;
    weights_ = parameters + bias_count();
    dbias_ = gradients;
    dweights_ = gradients + bias_count();
  }

  // He's uniform initialisation (half its variance without ReLU), biases zero.
  // source: He, Zhang, Ren, Sun, ICCV 2015, equation 10.
  void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const override {
    const double variance =
        (shape_.has_activation ? 2.0 : 1.0) / static_cast<double>(shape_.input_width);
    const double limit = std::sqrt(3.0 * variance);
    std::fill(host, host + shape_.output_width, T{0});
    fill_uniform<T>({host + bias_count(), shape_.input_width * shape_.output_width},
                    limit,
                    seed,
                    purpose,
                    shape_.layer_index);
  }

  void forward(const T* x, T* y, const Pass& pass) override {
    forward_->run(x, weights_, bias_, y);
    if (shape_.has_activation) {
      ops_.relu_dropout_forward({y, shape_.batch, shape_.output_width},
                                pass.is_training ? activation_ : relu_,
                                {pass.seed, pass.step, shape_.layer_index, pass.first_sample});
    }
  }

  void backward(const T* x, const T* y, T* dy, T* dx, const GradientsReady& ready) override {
    const ops::Matrix<T> gradient{dy, shape_.batch, shape_.output_width};
    if (shape_.has_activation) {
      ops_.relu_dropout_backward(gradient, y, activation_, dbias_);
    } else {
      ops_.column_sums(gradient, dbias_);
    }
    weight_gradient_->run(x, dy, nullptr, dweights_);
    ready(padded_count());
    if (dx != nullptr) {
      input_gradient_->run(dy, weights_, nullptr, dx);
    }
  }

 private:
  // With the padding before the weights.
  std::size_t bias_count() const { return model::padded_count<T>(shape_.output_width); }

  DenseShape shape_;
  ops::Ops<T>& ops_;
  ops::ReluDropout<T> activation_;
  ops::ReluDropout<T> relu_;  // for passes that do not train
  std::unique_ptr<ops::Matmul<T>> forward_;
  std::unique_ptr<ops::Matmul<T>> weight_gradient_;
  std::unique_ptr<ops::Matmul<T>> input_gradient_;
  T* bias_ = nullptr;      // (output_width)
  T* weights_ = nullptr;   // (input_width, output_width), row-major
  T* dbias_ = nullptr;     // (output_width)
  T* dweights_ = nullptr;  // (input_width, output_width), row-major
};

}  // namespace

template <typename T>
std::unique_ptr<Layer<T>> make_dense(const DenseShape& shape,
                                     ops::Ops<T>& ops,
                                     device::Arena& arena) {
  return std::make_unique<Dense<T>>(shape, ops, arena);
}

template decltype(make_dense<float>) make_dense<float>;
template decltype(make_dense<double>) make_dense<double>;
template decltype(make_dense<device::Bf16>) make_dense<device::Bf16>;
template decltype(make_dense<device::Half>) make_dense<device::Half>;

}  // namespace scalestudy::model

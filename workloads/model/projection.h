// y = x W + b inside a layer made of several.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/model/shape/padding.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

struct ProjectionShape {
  std::size_t rows = 0;
  std::size_t input_width = 0;
  std::size_t output_width = 0;
  bool has_bias = false;

  std::size_t bias_count() const { return has_bias ? output_width : 0; }
  std::size_t weight_count() const { return input_width * output_width; }
};

// x (rows, input_width), y (rows, output_width). In the flat buffers the bias lies before the
// weights (input_width, output_width). `arena` outlives it.
template <typename T>
class Projection {
 public:
  Projection(const ProjectionShape& shape, ops::Ops<T>& ops, device::Arena& arena)
      : shape_(shape),
        ops_(ops),
        forward_(ops.make_matmul({.m = shape.rows,
                                  .n = shape.output_width,
                                  .k = shape.input_width,
                                  .has_bias = shape.has_bias},
                                 arena)),
        weight_gradient_(ops.make_matmul({.m = shape.input_width,
                                          .n = shape.output_width,
                                          .k = shape.rows,
                                          .a_transposed = true},
                                         arena)),
        input_gradient_(ops.make_matmul({.m = shape.rows,
                                         .n = shape.input_width,
                                         .k = shape.output_width,
                                         .b_transposed = true},
                                        arena)) {}

  // Elements of the flat buffers that bias and weights take.
  std::size_t padded_count() const {
    return padded_bias() + model::padded_count<T>(shape_.weight_count());
  }

  void bind(T* parameters, T* gradients) {
    bias_ = shape_.has_bias ? parameters : nullptr;
    bias_gradient_ = shape_.has_bias ? gradients : nullptr;
    weights_ = parameters + padded_bias();
    weight_gradients_ = gradients + padded_bias();
  }

  void forward(const T* x, T* y) { forward_->run(x, weights_, bias_, y); }

  // nullptr where there is no bias.
  T* bias_gradient() const { return bias_gradient_; }
  void backward_bias(T* dy) {
    if (shape_.has_bias) {
      ops_.column_sums({dy, shape_.rows, shape_.output_width}, bias_gradient_);
    }
  }
  void backward_weights(const T* x, const T* dy) {
    weight_gradient_->run(x, dy, nullptr, weight_gradients_);
  }
  void backward_input(const T* dy, T* dx) { input_gradient_->run(dy, weights_, nullptr, dx); }

 private:
  std::size_t padded_bias() const { return model::padded_count<T>(shape_.bias_count()); }

  ProjectionShape shape_;
  ops::Ops<T>& ops_;
  std::unique_ptr<ops::Matmul<T>> forward_;
  std::unique_ptr<ops::Matmul<T>> weight_gradient_;
  std::unique_ptr<ops::Matmul<T>> input_gradient_;
  T* bias_ = nullptr;              // (output_width)
  T* bias_gradient_ = nullptr;     // (output_width)
  T* weights_ = nullptr;           // (input_width, output_width), row-major
  T* weight_gradients_ = nullptr;  // (input_width, output_width), row-major
};

}  // namespace scalestudy::model

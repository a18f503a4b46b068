// One layer of a network: forward, and backward in two halves so that gradients can travel early.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/ops/philox.h"

namespace scalestudy::model {

// What a pass is for.
struct Pass {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t first_sample = 0;  // of this rank's batch within the step's global batch
  bool is_training = true;         // false: no dropout
};

// B samples, fixed at construction. Parameters and gradients are slices of the network's flat
// buffers.
template <typename T>
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual std::size_t input_width() const = 0;
  virtual std::size_t output_width() const = 0;
  virtual std::size_t parameter_count() const = 0;

  // parameters, gradients  (parameter_count()) each; live as long as the layer.
  virtual void bind(T* parameters, T* gradients) = 0;
  virtual void initialise(std::uint64_t seed, ops::Purpose purpose) = 0;

  // x (B, input_width) -> y (B, output_width)
  virtual void forward(const T* x, T* y, const Pass& pass) = 0;

  // Writes the gradients of the parameters. dy (B, output_width) is the gradient of y, and is
  // overwritten with what backward_input() needs.
  virtual void backward_parameters(const T* x, const T* y, T* dy) = 0;

  // dx (B, input_width), after backward_parameters().
  virtual void backward_input(const T* dy, T* dx) = 0;
};

}  // namespace scalestudy::model

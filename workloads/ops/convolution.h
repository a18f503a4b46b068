// Convolution and pooling over images. Images are channels last: (B, height, width, channels),
// dense.
#pragma once

#include <cstddef>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

// Square kernel, the same stride and zero padding both ways, no bias.
struct ConvolutionShape {
  std::size_t batch = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::size_t output_channels = 0;
  std::size_t kernel = 1;
  std::size_t stride = 1;
  std::size_t padding = 0;

  std::size_t output_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::size_t output_width() const { return (width + 2 * padding - kernel) / stride + 1; }
};

// A convolution, prepared once and run every step; allocates nothing in a run. x is (B, H, W, C), y
// (B, H', W', O), weights (O, K, K, C); gradients likewise. All are aligned to 16 bytes, which
// tensor cores read at a time.
template <typename T>
class Convolution : public device::Interface {
 public:
  virtual void forward(const T* x, const T* weights, T* y) = 0;
  virtual void backward_weights(const T* x, const T* dy, T* dweights) = 0;
  virtual void backward_input(const T* dy, const T* weights, T* dx) = 0;
};

// Sizes of pooling over square windows.
struct PoolingShape {
  std::size_t batch = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::size_t kernel = 1;  // <= 15
  std::size_t stride = 1;
  std::size_t padding = 0;  // less than kernel

  std::size_t output_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::size_t output_width() const { return (width + 2 * padding - kernel) / stride + 1; }
};

// Maximum over windows; padding counts as minus infinity. backward() follows a forward() of the
// same x and y; of equal values the first in row-major order gets the gradient.
template <typename T>
class MaxPooling : public device::Interface {
 public:
  virtual void forward(const T* x, T* y) = 0;
  virtual void backward(const T* dy, T* dx) = 0;
};

}  // namespace scalestudy::ops

// Normalisation of activations: over the rows of a batch, or within each row.
#pragma once

#include <cstddef>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

// Sizes of batch normalisation. x is (rows, channels); for images rows = B * height * width.
// - groups: the batch is split into this many equal parts, each with statistics of its own ("ghost
//   batches"): one rank with N groups computes what N ranks compute with one each. Running
//   statistics follow the mean over the groups.
struct BatchNormShape {
  std::size_t rows = 0;
  std::size_t channels = 0;
  std::size_t groups = 1;
  bool has_relu = false;  // y = relu(norm(x) [+ residual])
  double epsilon = 1e-5;
  double momentum =
      0.1;  // of the running statistics: running = (1 - momentum) running + momentum new
};

// Batch normalisation. Keeps the statistics of the last forward for backward, and running ones for
// passes that do not train. The variance is biased for normalising, unbiased in running statistics.
// source: Ioffe and Szegedy, ICML 2015.
template <typename T>
class BatchNorm : public device::Interface {
 public:
  // residual  (rows, channels), added before the ReLU; nullptr: none.
  // scale, shift  (channels)
  virtual void forward(
      const T* x, const T* residual, const T* scale, const T* shift, T* y, bool is_training) = 0;

  // dy (rows, channels) is overwritten with the gradient before the ReLU, which is also that of the
  // residual. dx may be dy.
  virtual void backward(
      const T* x, const T* y, const T* scale, T* dy, T* dscale, T* dshift, T* dx) = 0;
};

// x is (rows, columns); each row is normalised by itself.
struct RowNormShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_rms = false;  // RMSNorm: no mean is subtracted and there is no shift
  // backward() adds to dx, which holds the gradient of the residual path around the block; false:
  // it writes dx.
  bool is_residual = true;
  double epsilon = 1e-5;
};

// source: Ba, Kiros, Hinton, arXiv 1607.06450; RMS: Zhang and Sennrich, NeurIPS 2019.
template <typename T>
class RowNorm : public device::Interface {
 public:
  // shift  nullptr for RMSNorm.
  virtual void forward(const T* x, const T* scale, const T* shift, T* y) = 0;
  // Writes dscale and dshift (columns), adds to or writes dx (rows, columns).
  virtual void backward(const T* x, const T* scale, const T* dy, T* dscale, T* dshift, T* dx) = 0;
};

}  // namespace scalestudy::ops

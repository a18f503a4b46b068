// The operands of operations.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/device/data_type.h"
#include "workloads/device/host_device.h"
#include "workloads/ops/loss_scale.h"

namespace scalestudy::ops {

// A dense row-major matrix.
template <typename T>
struct Matrix {
  T* data;
  std::size_t rows;
  std::size_t columns;
};

// Gradients in the type in which they travel between ranks, in device memory.
struct Packed {
  void* data;
  device::DataType type;  // differs from that of the gradients
};

// The right class of each row of logits.
struct Labels {
  const std::int32_t* values;  // (rows), each in [0, classes); device memory
  std::size_t classes;         // leading columns of the logits; those after them are padding
};

// The random numbers of a dropout mask. Row i of the batch is sample first_sample + i of the step.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t layer = 0;
  std::uint32_t first_sample = 0;
};

// The factor that an update multiplies gradients by: it undoes loss scaling and limits the norm of
// all gradients.
struct GradientFactor {
  const LossScale* loss_scale = nullptr;  // by which gradients were scaled; nullptr: not scaled
  // The sum of squares of all gradients of the model, still scaled; nullptr: no limit.
  const double* square_sum = nullptr;
  double norm_limit = 0.0;

  // source: PyTorch, torch.nn.utils.clip_grad_norm_, with its 1e-6.
  template <typename Real>
  SCALESTUDY_HOST_DEVICE inline Real value() const {
    Real factor = loss_scale == nullptr ? Real{1} : Real{1} / static_cast<Real>(loss_scale->scale);
    if (square_sum != nullptr) {
      const Real norm = std::sqrt(static_cast<Real>(*square_sum)) * factor;
      const Real clip = static_cast<Real>(norm_limit) / (norm + static_cast<Real>(1e-6));
      factor = clip >= Real{1} ? factor : factor * clip;  // NaN where the norm is
    }
    return factor;
  }
};

// The parameters and gradients of an optimizer: flat device memory, all of equal length. The master
// values are of type Real<T>; if that is not T, the model computes with their copy rounded to T.
template <typename T>
struct Weights {
  std::span<device::Real<T>> values;
  const T* gradients = nullptr;
  T* rounded = nullptr;  // nullptr where T is Real<T>
  GradientFactor factor{};
};

}  // namespace scalestudy::ops

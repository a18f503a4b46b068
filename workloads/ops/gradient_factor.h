// The factor that an update multiplies gradients by: it undoes loss scaling and limits the norm of
// all gradients.
#pragma once

#include <cmath>

#include "workloads/device/host_device.h"
#include "workloads/ops/loss_scale.h"

namespace scalestudy::ops {

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

}  // namespace scalestudy::ops

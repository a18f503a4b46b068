// Batch normalisation of one element, once the sums over its channel are known.
#pragma once

#include "workloads/device/host_device.h"

namespace scalestudy::ops {

// max(value, 0) that keeps a NaN, which std::max and fmaxf would turn into 0.
template <typename Real>
SCALESTUDY_HOST_DEVICE inline Real at_least_zero(Real value) {
  return value < Real{0} ? Real{0} : value;
}

// y = factor x + offset is scale (x - mean) / deviation + shift.
template <typename Real>
struct BatchNormForward {
  Real factor;
  Real offset;

  SCALESTUDY_HOST_DEVICE BatchNormForward(Real mean, Real inverse_deviation, Real scale, Real shift)
      : factor(scale * inverse_deviation), offset(shift - mean * factor) {}
};

// dx = factor dy - slope (x - mean) - offset.
// source: Ioffe and Szegedy, ICML 2015, the gradients of section 3, collected.
template <typename Real>
struct BatchNormBackward {
  Real factor;
  Real slope;
  Real offset;

  // sum, product_sum  over the count rows of dy, and of dy (x - mean).
  SCALESTUDY_HOST_DEVICE BatchNormBackward(
      Real inverse_deviation, Real scale, Real sum, Real product_sum, Real count)
      : factor(scale * inverse_deviation),
        slope(factor * inverse_deviation * inverse_deviation * product_sum / count),
        offset(factor * sum / count) {}
};

}  // namespace scalestudy::ops

// The smooth activation functions of transformers.
#pragma once

#include <cstddef>

#include "workloads/device/interface.h"
#include "workloads/ops/exponential.h"

namespace scalestudy::ops {

// The tanh form of GELU: x sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
// source: Hendrycks and Gimpel, arXiv 1606.08415; 0.5 (1 + tanh(u)) = sigmoid(2 u).
template <typename Real>
struct Gelu {
  static constexpr Real kLinear = Real(1.5957691216057308);  // 2 sqrt(2 / pi)
  static constexpr Real kCubic = Real(0.044715);

  SCALESTUDY_HOST_DEVICE static inline Real gate(Real x) {
    return Real(1) / (Real(1) + exponential(-kLinear * x * (Real(1) + kCubic * x * x)));
  }
  SCALESTUDY_HOST_DEVICE static inline Real forward(Real x) { return x * gate(x); }
  // d forward / dx
  SCALESTUDY_HOST_DEVICE static inline Real derivative(Real x) {
    const Real s = gate(x);
    return s + x * s * (Real(1) - s) * kLinear * (Real(1) + Real(3) * kCubic * x * x);
  }
};

// y = silu(gate) * value, silu(x) = x sigmoid(x). source: Shazeer, arXiv 2002.05202.
template <typename Real>
struct SwiGlu {
  SCALESTUDY_HOST_DEVICE static inline Real sigmoid(Real x) {
    return Real(1) / (Real(1) + exponential(-x));
  }
  SCALESTUDY_HOST_DEVICE static inline Real forward(Real gate, Real value) {
    return gate * sigmoid(gate) * value;
  }
  // d forward / d gate, over value
  SCALESTUDY_HOST_DEVICE static inline Real gate_derivative(Real gate) {
    const Real s = sigmoid(gate);
    return s * (Real(1) + gate * (Real(1) - s));
  }
};

// Sizes of an activation function: y is (rows, columns), and x too; for SwiGLU x is (rows, 2,
// columns): gates, then values.
struct ActivationShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_swiglu = false;  // else GELU
};

template <typename T>
class Activation : public device::Interface {
 public:
  virtual void forward(const T* x, T* y) = 0;
  // Writes dx, shaped like x; for GELU it may be dy.
  // - bias_gradient: receives the column sums of dx, for a bias that was added to x; nullptr if it
  //   is not wanted, and always for SwiGLU.
  virtual void backward(const T* x, const T* dy, T* dx, T* bias_gradient) = 0;
};

}  // namespace scalestudy::ops

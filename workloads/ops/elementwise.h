// Elementwise operations as functors: a loop on the CPU, a kernel on a GPU, the same arithmetic.
#pragma once

#include <cmath>
#include <cstdint>

#include "workloads/device/data_type.h"
#include "workloads/device/host_device.h"

namespace scalestudy::ops {

// y = dropout(relu(x)). Backward needs only y: y > 0 exactly where the unit was active and kept.
// A NaN is not "<= 0", so a diverged unit stays NaN and the loss shows it.
template <typename T>
struct ReluDropout {
  std::uint32_t threshold = 0;  // a word below it drops the unit; 0 drops none
  // 1 / (1 - threshold / 2^32): the expectation is that of relu(x)
  device::Real<T> scale = 1;

  SCALESTUDY_HOST_DEVICE inline T forward(T x, std::uint32_t word) const {
    return x <= T{0} || word < threshold ? T{0} : T(x * scale);
  }
  SCALESTUDY_HOST_DEVICE inline T backward(T y, T dy) const {
    return y <= T{0} ? T{0} : T(dy * scale);
  }
};

// probability  in [0, 1)
template <typename T>
ReluDropout<T> make_relu_dropout(double probability) {
  const auto threshold = static_cast<std::uint32_t>(probability * 0x1p32);
  return {threshold,
          static_cast<device::Real<T>>(1.0 / (1.0 - static_cast<double>(threshold) * 0x1p-32))};
}

// PyTorch's SGD: v = momentum v + (g + decay p); p -= rate v.
template <typename T>
struct Sgd {
  T learning_rate;
  T momentum;
  T weight_decay;

  SCALESTUDY_HOST_DEVICE inline void operator()(T& p, T g, T& v) const {
    v = momentum * v + (g + weight_decay * p);
    p -= learning_rate * v;
  }
};

// AdamW with decoupled decay. source: Loshchilov and Hutter, ICLR 2019, algorithm 2.
template <typename T>
struct AdamW {
  T learning_rate;
  T beta1;
  T beta2;
  T epsilon;
  T weight_decay;
  T m_correction;  // 1 / (1 - beta1^update), updates from 1
  T v_correction;  // 1 / (1 - beta2^update)

  // The rule for that update: -expm1(n log(beta)) is 1 - beta^n and cancels nothing.
  SCALESTUDY_HOST_DEVICE inline AdamW at_update(std::int32_t update) const {
    AdamW rule = *this;
    rule.m_correction = T{-1} / std::expm1(static_cast<T>(update) * std::log(beta1));
    rule.v_correction = T{-1} / std::expm1(static_cast<T>(update) * std::log(beta2));
    return rule;
  }

  SCALESTUDY_HOST_DEVICE inline void operator()(T& p, T g, T& m, T& v) const {
    m = beta1 * m + (T{1} - beta1) * g;
    v = beta2 * v + (T{1} - beta2) * g * g;
    const T update = (m * m_correction) / (std::sqrt(v * v_correction) + epsilon);
    p -= learning_rate * (update + weight_decay * p);
  }
};

}  // namespace scalestudy::ops

// Optimizers with master values in float, and dynamic loss scaling kept on the device.
#include "workloads/ops/cuda_kernels.h"
#include "workloads/ops/cuda_launch.cuh"

namespace scalestudy::ops {
namespace {

// Calls step(value, gradient, i) for every element, unless this step's gradients overflowed.
template <typename T, typename Step>
void for_each_weight(const Weights<T>& weights, const Step& step, cudaStream_t stream) {
  float* const values = weights.values.data();
  const T* const gradients = weights.gradients;
  T* const rounded = weights.rounded;
  const LossScale* const loss_scale = weights.loss_scale;
  for_each(
      weights.values.size(),
      [=] __device__(std::size_t i) {
        if (loss_scale != nullptr && loss_scale->has_overflowed != 0) {
          return;
        }
        const float factor = loss_scale == nullptr ? 1.0F : 1.0F / loss_scale->scale;
        step(values[i], factor * static_cast<float>(gradients[i]), i);
        if (rounded != nullptr) {
          rounded[i] = T(values[i]);
        }
      },
      stream);
}

struct SgdStep {
  Sgd<float> rule;
  float* velocity;

  __device__ void operator()(float& value, float gradient, std::size_t i) const {
    rule(value, gradient, velocity[i]);
  }
};

struct AdamWStep {
  AdamW<float> rule;
  float* m;
  float* v;
  const LossScale* loss_scale;

  __device__ void operator()(float& value, float gradient, std::size_t i) const {
    const AdamW<float> own = loss_scale == nullptr ? rule : rule.at_update(loss_scale->updates + 1);
    own(value, gradient, m[i], v[i]);
  }
};

}  // namespace

template <typename T>
void cuda_update(const Sgd<float>& rule,
                 const Weights<T>& weights,
                 float* velocity,
                 const Launch& launch) {
  for_each_weight(weights, SgdStep{rule, velocity}, launch.stream);
}

template <typename T>
void cuda_update(
    const AdamW<float>& rule, const Weights<T>& weights, float* m, float* v, const Launch& launch) {
  for_each_weight(weights, AdamWStep{rule, m, v, weights.loss_scale}, launch.stream);
}

template <typename T>
void cuda_find_overflow(std::span<const T> gradients, LossScale* loss_scale, const Launch& launch) {
  const T* const gradient = gradients.data();
  for_each(
      gradients.size(),
      [=] __device__(std::size_t i) {
        if (!isfinite(static_cast<float>(gradient[i]))) {
          atomicExch(&loss_scale->has_overflowed, 1);
        }
      },
      launch.stream);
}

void cuda_advance(LossScale* loss_scale, const Launch& launch) {
  for_each(
      1, [=] __device__(std::size_t) { loss_scale->advance(); }, launch.stream);
}

#define INSTANTIATE(T)                                                                    \
  template void cuda_update(const Sgd<float>&, const Weights<T>&, float*, const Launch&); \
  template void cuda_update(                                                              \
      const AdamW<float>&, const Weights<T>&, float*, float*, const Launch&);             \
  template void cuda_find_overflow(std::span<const T>, LossScale*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);

}  // namespace scalestudy::ops

// Optimizers with master values in float, and dynamic loss scaling kept on the device.
#include "workloads/ops/cuda/cuda_kernels.h"
#include "workloads/ops/cuda/cuda_launch.cuh"

namespace scalestudy::ops {
namespace {

// Calls step(value, gradient, i) for every element, unless this step's gradients overflowed.
template <typename T, typename Step>
void for_each_weight(const Weights<T>& weights, const Step& step, cudaStream_t stream) {
  float* const values = weights.values.data();
  const T* const gradients = weights.gradients;
  T* const rounded = weights.rounded;
  const GradientFactor factor = weights.factor;
  for_each(
      weights.values.size(),
      [=] __device__(std::size_t i) {
        if (factor.loss_scale != nullptr && factor.loss_scale->has_overflowed != 0) {
          return;
        }
        step(values[i], factor.value<float>() * static_cast<float>(gradients[i]), i);
        if (rounded != nullptr) {
          rounded[i] = T(values[i]);
        }
      },
      stream);
}

// Each block's sum of the squares of what its threads stride over.
template <typename T>
__global__ void square_kernel(const T* values, std::size_t count, double* sums) {
  double own = 0.0;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    const auto value = static_cast<double>(static_cast<float>(values[i]));
    own += value * value;
  }
  const double total = over_block(own, Plus{});
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

// Adds `count` <= kThreads sums to *sum; one block.
__global__ void add_sums_kernel(const double* sums, std::size_t count, double* sum) {
  const double total = over_block(threadIdx.x < count ? sums[threadIdx.x] : 0.0, Plus{});
  if (threadIdx.x == 0) {
    *sum += total;
  }
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
  for_each_weight(weights, AdamWStep{rule, m, v, weights.factor.loss_scale}, launch.stream);
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

void cuda_find_overflow(const double* square_sum, LossScale* loss_scale, const Launch& launch) {
  for_each(
      1,
      [=] __device__(std::size_t) { loss_scale->has_overflowed = isfinite(*square_sum) ? 0 : 1; },
      launch.stream);
}

template <typename T>
void cuda_add_squares(std::span<const T> values, double* sum, const Launch& launch) {
  const unsigned blocks = std::min(block_count(values.size()), kThreads);
  launch_kernel("square_kernel",
                {blocks, kThreads, launch.stream},
                square_kernel<T>,
                values.data(),
                values.size(),
                launch.scratch.data());
  launch_kernel("add_sums_kernel",
                {1, kThreads, launch.stream},
                add_sums_kernel,
                launch.scratch.data(),
                std::size_t{blocks},
                sum);
}

void cuda_advance(LossScale* loss_scale, const Launch& launch) {
  for_each(
      1, [=] __device__(std::size_t) { loss_scale->advance(); }, launch.stream);
}

#define INSTANTIATE(T)                                                                    \
  template void cuda_update(const Sgd<float>&, const Weights<T>&, float*, const Launch&); \
  template void cuda_update(                                                              \
      const AdamW<float>&, const Weights<T>&, float*, float*, const Launch&);             \
  template void cuda_find_overflow(std::span<const T>, LossScale*, const Launch&);        \
  template void cuda_add_squares(std::span<const T>, double*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);
#undef INSTANTIATE

}  // namespace scalestudy::ops

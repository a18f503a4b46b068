#include <cmath>

#include "workloads/ops/cuda/cuda_attention_kernels.h"
#include "workloads/ops/cuda/cuda_launch.cuh"

namespace scalestudy::ops {
namespace {

// Element i of a head's vector and its partner half a head away, turned by `turn`.
// source: Su et al., arXiv 2104.09864, equation 34, halves paired as LLaMA does.
__device__ float turned(float own, float partner, bool is_upper, float2 turn) {
  return is_upper ? own * turn.x + partner * turn.y : own * turn.x - partner * turn.y;
}

// One row a query: blockIdx.x is (head, query).
template <typename T>
__global__ void causal_softmax_kernel(std::size_t tokens, T* weights) {
  T* const row = weights + blockIdx.x * tokens;
  const std::size_t keys = blockIdx.x % tokens + 1;
  float largest = -INFINITY;
  for (std::size_t i = threadIdx.x; i < keys; i += kThreads) {
    largest = Larger{}(largest, row[i]);
  }
  largest = over_block(largest, Larger{});
  float sum = 0.0F;
  for (std::size_t i = threadIdx.x; i < keys; i += kThreads) {
    sum += expf(static_cast<float>(row[i]) - largest);
  }
  sum = over_block(sum, Plus{});
  for (std::size_t i = threadIdx.x; i < tokens; i += kThreads) {
    row[i] = T(i < keys ? expf(static_cast<float>(row[i]) - largest) / sum : 0.0F);
  }
}

template <typename T>
__global__ void causal_softmax_backward_kernel(std::size_t tokens, const T* weights, T* dweights) {
  const T* const weight = weights + blockIdx.x * tokens;
  T* const row = dweights + blockIdx.x * tokens;
  const std::size_t keys = blockIdx.x % tokens + 1;
  float mean = 0.0F;  // of dweights under weights
  for (std::size_t i = threadIdx.x; i < keys; i += kThreads) {
    mean += static_cast<float>(weight[i]) * static_cast<float>(row[i]);
  }
  mean = over_block(mean, Plus{});
  for (std::size_t i = threadIdx.x; i < tokens; i += kThreads) {
    row[i] =
        T(i < keys ? static_cast<float>(weight[i]) * (static_cast<float>(row[i]) - mean) : 0.0F);
  }
}

// Where an element of (N, tokens, head_width) lies: row is (n, token).
struct Place {
  std::size_t sample;
  std::size_t head;
  std::size_t token;
};

__device__ Place place_of(const AttentionShape& shape, std::size_t row) {
  const std::size_t n = row / shape.tokens;
  return {n / shape.heads, n % shape.heads, row % shape.tokens};
}

}  // namespace

template <typename T>
void cuda_split_heads(const AttentionShape& shape,
                      const T* qkv,
                      const float2* turns,
                      Heads<T> heads,
                      const Launch& launch) {
  const std::size_t half = shape.head_width / 2;
  for_each_cell(
      shape.batch * shape.heads * shape.tokens,
      shape.head_width,
      [=] __device__(std::size_t row, std::size_t i) {
        const Place at = place_of(shape, row);
        const std::size_t part = shape.heads * shape.head_width;
        const T* const query =
            qkv + (at.sample * shape.tokens + at.token) * 3 * part + at.head * shape.head_width;
        const T* const key = query + part;
        const std::size_t to = row * shape.head_width + i;
        heads.values[to] = query[2 * part + i];
        if (turns == nullptr) {
          heads.queries[to] = query[i];
          heads.keys[to] = key[i];
          return;
        }
        const bool is_upper = i >= half;
        const std::size_t partner = is_upper ? i - half : i + half;
        const float2 turn = turns[at.token * half + (is_upper ? partner : i)];
        heads.queries[to] = T(turned(query[i], query[partner], is_upper, turn));
        heads.keys[to] = T(turned(key[i], key[partner], is_upper, turn));
      },
      launch.stream);
}

template <typename T>
void cuda_join_heads(const AttentionShape& shape,
                     Heads<T> heads,
                     const float2* turns,
                     T* qkv,
                     const Launch& launch) {
  const std::size_t half = shape.head_width / 2;
  for_each_cell(
      shape.batch * shape.heads * shape.tokens,
      shape.head_width,
      [=] __device__(std::size_t row, std::size_t i) {
        const Place at = place_of(shape, row);
        const std::size_t part = shape.heads * shape.head_width;
        T* const query =
            qkv + (at.sample * shape.tokens + at.token) * 3 * part + at.head * shape.head_width;
        T* const key = query + part;
        const std::size_t first = row * shape.head_width;
        query[2 * part + i] = heads.values[first + i];
        if (turns == nullptr) {
          query[i] = heads.queries[first + i];
          key[i] = heads.keys[first + i];
          return;
        }
        const bool is_upper = i >= half;
        const std::size_t partner = is_upper ? i - half : i + half;
        float2 turn = turns[at.token * half + (is_upper ? partner : i)];
        turn.y = -turn.y;
        query[i] =
            T(turned(heads.queries[first + i], heads.queries[first + partner], is_upper, turn));
        key[i] = T(turned(heads.keys[first + i], heads.keys[first + partner], is_upper, turn));
      },
      launch.stream);
}

template <typename T>
void cuda_join_output(const AttentionShape& shape, const T* by_head, T* y, const Launch& launch) {
  for_each_cell(
      shape.batch * shape.heads * shape.tokens,
      shape.head_width,
      [=] __device__(std::size_t row, std::size_t i) {
        const Place at = place_of(shape, row);
        y[((at.sample * shape.tokens + at.token) * shape.heads + at.head) * shape.head_width + i] =
            by_head[row * shape.head_width + i];
      },
      launch.stream);
}

template <typename T>
void cuda_split_output(const AttentionShape& shape, const T* y, T* by_head, const Launch& launch) {
  for_each_cell(
      shape.batch * shape.heads * shape.tokens,
      shape.head_width,
      [=] __device__(std::size_t row, std::size_t i) {
        const Place at = place_of(shape, row);
        by_head[row * shape.head_width + i] =
            y[((at.sample * shape.tokens + at.token) * shape.heads + at.head) * shape.head_width +
              i];
      },
      launch.stream);
}

template <typename T>
void cuda_causal_softmax(const AttentionShape& shape, T* weights, const Launch& launch) {
  const auto rows = static_cast<unsigned>(shape.batch * shape.heads * shape.tokens);
  launch_kernel("causal_softmax_kernel",
                {rows, kThreads, launch.stream},
                causal_softmax_kernel<T>,
                shape.tokens,
                weights);
}

template <typename T>
void cuda_causal_softmax_backward(const AttentionShape& shape,
                                  const T* weights,
                                  T* dweights,
                                  const Launch& launch) {
  const auto rows = static_cast<unsigned>(shape.batch * shape.heads * shape.tokens);
  launch_kernel("causal_softmax_backward_kernel",
                {rows, kThreads, launch.stream},
                causal_softmax_backward_kernel<T>,
                shape.tokens,
                weights,
                dweights);
}

#define INSTANTIATE(T)                                                                 \
  template void cuda_split_heads(                                                      \
      const AttentionShape&, const T*, const float2*, Heads<T>, const Launch&);        \
  template void cuda_join_heads(                                                       \
      const AttentionShape&, Heads<T>, const float2*, T*, const Launch&);              \
  template void cuda_join_output(const AttentionShape&, const T*, T*, const Launch&);  \
  template void cuda_split_output(const AttentionShape&, const T*, T*, const Launch&); \
  template void cuda_causal_softmax(const AttentionShape&, T*, const Launch&);         \
  template void cuda_causal_softmax_backward(const AttentionShape&, const T*, T*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);
#undef INSTANTIATE

}  // namespace scalestudy::ops

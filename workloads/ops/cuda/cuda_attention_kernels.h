// Kernels around the matrix products of attention. N = B * heads; T is float, Bf16 or Half.
#pragma once

#include "workloads/ops/attention.h"
#include "workloads/ops/cuda/cuda_kernels.h"

namespace scalestudy::ops {

// Queries, keys, values or their gradients, one head after another.
template <typename T>
struct Heads {
  T* queries;  // (N, tokens, head_width)
  T* keys;     // (N, tokens, head_width)
  T* values;   // (N, tokens, head_width)
};

// turns  (tokens, head_width / 2) cosine and sine of rotary positions; nullptr for none.

// heads = qkv (B, tokens, 3, heads, head_width) sorted by head, queries and keys turned.
template <typename T>
void cuda_split_heads(const AttentionShape& shape,
                      const T* qkv,
                      const float2* turns,
                      Heads<T> heads,
                      const Launch& launch);
// qkv = heads joined again, for gradients: queries and keys are turned back.
template <typename T>
void cuda_join_heads(
    const AttentionShape& shape, Heads<T> heads, const float2* turns, T* qkv, const Launch& launch);

// y (B, tokens, heads, head_width) = by_head (N, tokens, head_width), and the reverse.
template <typename T>
void cuda_join_output(const AttentionShape& shape, const T* by_head, T* y, const Launch& launch);
template <typename T>
void cuda_split_output(const AttentionShape& shape, const T* y, T* by_head, const Launch& launch);

// weights (N, tokens, tokens): each row of scores becomes its softmax over keys up to the query's
// own position, and zero after it.
template <typename T>
void cuda_causal_softmax(const AttentionShape& shape, T* weights, const Launch& launch);
// dweights (N, tokens, tokens), the gradient of the weights, becomes that of the scores.
template <typename T>
void cuda_causal_softmax_backward(const AttentionShape& shape,
                                  const T* weights,
                                  T* dweights,
                                  const Launch& launch);

}  // namespace scalestudy::ops

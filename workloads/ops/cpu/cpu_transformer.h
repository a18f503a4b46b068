// The operations of transformers on the CPU.
#pragma once

#include <memory>

#include "workloads/device/arena.h"
#include "workloads/ops/activation.h"
#include "workloads/ops/attention.h"
#include "workloads/ops/cpu/onednn.h"
#include "workloads/ops/embedding.h"
#include "workloads/ops/normalization.h"

namespace scalestudy::ops {

// threads  cores this rank may use, >= 1.
template <typename T>
std::unique_ptr<Activation<T>> make_cpu_activation(const ActivationShape& shape, int threads);
template <typename T>
std::unique_ptr<Embedding<T>> make_cpu_embedding(const EmbeddingShape& shape,
                                                 int threads,
                                                 device::Arena& arena);
template <typename T>
std::unique_ptr<RowNorm<T>> make_cpu_row_norm(const RowNormShape& shape,
                                              int threads,
                                              device::Arena& arena);

struct CpuAttentionPlan {
  int threads = 1;             // cores this rank may use
  bool keeps_weights = false;  // of sequences of every length, for backward
};

// Attention through oneDNN where make_cpu_ops() says so, else by plain loops, which keep weights.
// - kernels: receives the names of oneDNN's.
template <typename T>
std::unique_ptr<Attention<T>> make_cpu_attention(const AttentionShape& shape,
                                                 const CpuAttentionPlan& plan,
                                                 device::Arena& arena,
                                                 Kernels& kernels);

// Attention through oneDNN, without rotary positions; T is float or Bf16.
template <typename T>
std::unique_ptr<Attention<T>> make_onednn_attention(const AttentionShape& shape,
                                                    const CpuAttentionPlan& plan,
                                                    device::Arena& arena,
                                                    Kernels& kernels);
template <typename T>
std::unique_ptr<Attention<T>> make_reference_attention(const AttentionShape& shape,
                                                       device::Arena& arena);

}  // namespace scalestudy::ops

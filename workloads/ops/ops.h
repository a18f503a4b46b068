// The operations that models are made of; each backend implements them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"
#include "workloads/device/interface.h"
#include "workloads/ops/activation.h"
#include "workloads/ops/attention.h"
#include "workloads/ops/convolution.h"
#include "workloads/ops/elementwise.h"
#include "workloads/ops/embedding.h"
#include "workloads/ops/loss_scale.h"
#include "workloads/ops/matmul.h"
#include "workloads/ops/normalization.h"
#include "workloads/ops/operands.h"
#include "workloads/ops/philox.h"
#include "workloads/ops/recurrent.h"
#include "workloads/ops/top_k.h"

namespace scalestudy::ops {

// One thread calls; an implementation may use more inside. Every call has finished its work, or has
// been queued in call order after the earlier ones, when it returns.
template <typename T>
class Ops : public device::Interface {
 public:
  // Scratch memory comes from `arena`, which outlives the product.
  virtual std::unique_ptr<Matmul<T>> make_matmul(const MatmulShape& shape,
                                                 device::Arena& arena) = 0;

  // Operations on images; convolution.h and normalization.h say what they compute.
  virtual std::unique_ptr<Convolution<T>> make_convolution(const ConvolutionShape& shape,
                                                           device::Arena& arena) = 0;
  virtual std::unique_ptr<BatchNorm<T>> make_batch_norm(const BatchNormShape& shape,
                                                        device::Arena& arena) = 0;
  virtual std::unique_ptr<MaxPooling<T>> make_max_pooling(const PoolingShape& shape,
                                                          device::Arena& arena) = 0;
  // y (B, C) = mean over the positions of x (B, positions, C), and its gradient: dx = dy /
  // positions at each of them.
  virtual void average_positions(const T* x, std::size_t positions, Matrix<T> y) = 0;
  virtual void spread_positions(Matrix<T> dy, std::size_t positions, T* dx) = 0;

  // Operation on sequences; recurrent.h says what it computes.
  virtual std::unique_ptr<Recurrent<T>> make_recurrent(const RecurrentShape& shape,
                                                       device::Arena& arena) = 0;

  // Operations of transformers; the headers of their classes say what they compute.
  virtual std::unique_ptr<Embedding<T>> make_embedding(const EmbeddingShape& shape,
                                                       device::Arena& arena) = 0;
  virtual std::unique_ptr<RowNorm<T>> make_row_norm(const RowNormShape& shape,
                                                    device::Arena& arena) = 0;
  virtual std::unique_ptr<Attention<T>> make_attention(const AttentionShape& shape,
                                                       device::Arena& arena) = 0;
  virtual std::unique_ptr<Activation<T>> make_activation(const ActivationShape& shape,
                                                         device::Arena& arena) = 0;

  // y = dropout(relu(y)) in place.
  virtual void relu_dropout_forward(Matrix<T> y,
                                    const ReluDropout<T>& function,
                                    const DropoutKey& key) = 0;

  // dy = gradient before relu and dropout, in place; bias_gradient (columns) = its column sums.
  virtual void relu_dropout_backward(Matrix<T> dy,
                                     const T* y,
                                     const ReluDropout<T>& function,
                                     T* bias_gradient) = 0;

  // sums (columns) = column sums of dy.
  virtual void column_sums(Matrix<T> dy, T* sums) = 0;

  // *loss += scale * sum over the rows of -log softmax(classes of the row)[label]; `logits` become
  // its gradient, times loss_scale->scale where that is given, and padding becomes zero. `loss` is
  // device memory.
  virtual void softmax_cross_entropy(Matrix<T> logits,
                                     const Labels& labels,
                                     double scale,
                                     double* loss,
                                     const LossScale* loss_scale = nullptr) = 0;

  // *loss += scale * sum over the rows of the mean over columns of (output - target)^2; `output`
  // becomes its gradient, scaled likewise.
  virtual void mean_squared_error(Matrix<T> output,
                                  const T* target,
                                  double scale,
                                  double* loss,
                                  const LossScale* loss_scale = nullptr) = 0;

  // y += x, elementwise.
  virtual void add(std::span<T> y, const T* x) = 0;
  // Sums of many terms, where a sum of type T would round the later ones away: accumulate() keeps
  // the sum in Real<T>, add_accumulated() adds it to the last term and rounds once.
  virtual void accumulate(std::span<device::Real<T>> sum, const T* x) = 0;
  virtual void add_accumulated(std::span<T> y, const device::Real<T>* sum) = 0;

  // values *= factor.
  virtual void scale(std::span<device::Real<T>> values, device::Real<T> factor) = 0;

  // Convert gradients to the type in which they travel, and back, elementwise and rounded once.
  // fp32 travels as a 16-bit type, 16-bit types as fp32.
  virtual void pack(std::span<const T> gradients, const Packed& to) = 0;
  virtual void unpack(const Packed& from, std::span<T> gradients) = 0;
  virtual std::unique_ptr<TopK<T>> make_top_k(std::size_t most, device::Arena& arena) = 0;

  // *sum += the sum of the squares, in an order that depends on their number alone; `sum` is device
  // memory.
  virtual void add_squares(std::span<const T> values, double* sum) = 0;

  // One optimizer step; velocity, m and v are its state, as long as the values. With loss scaling a
  // step whose gradients overflowed does nothing, and AdamW counts the updates that were made: the
  // rule's corrections are not used then.
  virtual void update(const Sgd<device::Real<T>>& rule,
                      const Weights<T>& weights,
                      device::Real<T>* velocity) = 0;
  virtual void update(const AdamW<device::Real<T>>& rule,
                      const Weights<T>& weights,
                      device::Real<T>* m,
                      device::Real<T>* v) = 0;

  // Calls around an update with loss scaling: find_overflow() notes in `loss_scale` whether a
  // gradient, or the sum of the squares of all, is not finite; advance() moves on to the next step
  // (LossScale::advance).
  virtual void find_overflow(std::span<const T> gradients, LossScale* loss_scale) = 0;
  virtual void find_overflow(const double* square_sum, LossScale* loss_scale) = 0;
  virtual void advance(LossScale* loss_scale) = 0;

  // The decisions left to libraries, name -> text, for the record of a run. Complete when every
  // operation has run once.
  virtual std::map<std::string, std::string> choices() const { return {}; }
};

// Operations on the CPU: float and, where has_bf16_products() (cpu_library.h), Bf16 through oneDNN;
// other types by plain loops (double is the correctness oracle).
// - threads: cores this rank may use, >= 1. Set for the whole process; the calling thread is bound
//   if OMP_PROC_BIND binds threads (cpu_threads.h).
// - keeps_weights: attention keeps them for backward, as on a GPU, whose memory is planned so.
template <typename T>
std::unique_ptr<Ops<T>> make_cpu_ops(int threads, bool keeps_weights = false);

}  // namespace scalestudy::ops

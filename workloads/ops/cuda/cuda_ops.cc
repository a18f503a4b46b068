#include "workloads/ops/cuda/cuda_ops.h"

#include <type_traits>

#include "workloads/ops/cuda/cuda_context.h"
#include "workloads/ops/cuda/cuda_kernels.h"
#include "workloads/ops/cuda/cuda_matmul.h"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class CudaOps final : public Ops<T> {
 public:
  CudaOps(device::Arena& arena, const CudaOptions& options)
      : context_(arena, options), launch_{context_.stream(), context_.partials()} {}

  std::unique_ptr<Matmul<T>> make_matmul(const MatmulShape& shape,
                                         device::Arena& /*arena*/) override {
    return make_cuda_matmul<T>(shape, context_);
  }

  std::unique_ptr<Convolution<T>> make_convolution(const ConvolutionShape& shape,
                                                   device::Arena& /*arena*/) override {
    return make_cuda_convolution<T>(shape, context_);
  }
  std::unique_ptr<BatchNorm<T>> make_batch_norm(const BatchNormShape& shape,
                                                device::Arena& arena) override {
    return make_cuda_batch_norm<T>(shape, launch_, arena);
  }
  std::unique_ptr<MaxPooling<T>> make_max_pooling(const PoolingShape& shape,
                                                  device::Arena& arena) override {
    return make_cuda_max_pooling<T>(shape, launch_, arena);
  }
  void average_positions(const T* x, std::size_t positions, Matrix<T> y) override {
    cuda_average_positions(x, positions, y, launch_);
  }
  void spread_positions(Matrix<T> dy, std::size_t positions, T* dx) override {
    cuda_spread_positions(dy, positions, dx, launch_);
  }

  std::unique_ptr<Recurrent<T>> make_recurrent(const RecurrentShape& shape,
                                               device::Arena& arena) override {
    return make_cuda_recurrent<T>(shape, context_, arena);
  }

  std::unique_ptr<Embedding<T>> make_embedding(const EmbeddingShape& shape,
                                               device::Arena& arena) override {
    return make_cuda_embedding<T>(shape, launch_, arena);
  }
  std::unique_ptr<RowNorm<T>> make_row_norm(const RowNormShape& shape,
                                            device::Arena& arena) override {
    return make_cuda_row_norm<T>(shape, launch_, arena);
  }
  std::unique_ptr<Attention<T>> make_attention(const AttentionShape& shape,
                                               device::Arena& arena) override {
    return make_cuda_attention<T>(shape, context_, arena);
  }
  std::unique_ptr<Activation<T>> make_activation(const ActivationShape& shape,
                                                 device::Arena& /*arena*/) override {
    return make_cuda_activation<T>(shape, launch_);
  }
  std::unique_ptr<TopK<T>> make_top_k(std::size_t most, device::Arena& arena) override {
    return make_cuda_top_k<T>(most, launch_, arena);
  }

  void relu_dropout_forward(Matrix<T> y,
                            const ReluDropout<T>& function,
                            const DropoutKey& key) override {
    cuda_relu_dropout_forward(y, function, key, launch_);
  }
  void relu_dropout_backward(Matrix<T> dy,
                             const T* y,
                             const ReluDropout<T>& function,
                             T* bias_gradient) override {
    cuda_relu_dropout_backward(dy, y, function, bias_gradient, launch_);
  }
  void column_sums(Matrix<T> dy, T* sums) override { cuda_column_sums(dy, sums, launch_); }
  void add(std::span<T> y, const T* x) override { cuda_add(y, x, launch_); }
  void accumulate(std::span<float> sum, const T* x) override { cuda_add(sum, x, launch_); }
  void add_accumulated(std::span<T> y, const float* sum) override { cuda_add(y, sum, launch_); }
  void scale(std::span<float> values, float factor) override {
    cuda_scale(values, factor, launch_);
  }

  void pack(std::span<const T> gradients, const Packed& to) override {
    with_type(to, [&](auto* wire) {
      cuda_convert(std::span(wire, gradients.size()), gradients.data(), launch_);
    });
  }
  void unpack(const Packed& from, std::span<T> gradients) override {
    with_type(from, [&](const auto* wire) { cuda_convert(gradients, wire, launch_); });
  }
  void add_squares(std::span<const T> values, double* sum) override {
    cuda_add_squares(values, sum, launch_);
  }

  void softmax_cross_entropy(Matrix<T> logits,
                             const Labels& labels,
                             double scale,
                             double* loss,
                             const LossScale* loss_scale) override {
    cuda_softmax_cross_entropy(logits, labels, scale, loss, loss_scale, launch_);
  }
  void mean_squared_error(Matrix<T> output,
                          const T* target,
                          double scale,
                          double* loss,
                          const LossScale* loss_scale) override {
    cuda_mean_squared_error(output, target, scale, loss, loss_scale, launch_);
  }

  void update(const Sgd<float>& rule, const Weights<T>& weights, float* velocity) override {
    cuda_update(rule, weights, velocity, launch_);
  }
  void update(const AdamW<float>& rule, const Weights<T>& weights, float* m, float* v) override {
    cuda_update(rule, weights, m, v, launch_);
  }
  void find_overflow(std::span<const T> gradients, LossScale* loss_scale) override {
    cuda_find_overflow(gradients, loss_scale, launch_);
  }
  void find_overflow(const double* square_sum, LossScale* loss_scale) override {
    cuda_find_overflow(square_sum, loss_scale, launch_);
  }
  void advance(LossScale* loss_scale) override { cuda_advance(loss_scale, launch_); }

  std::map<std::string, std::string> choices() const override {
    return {{"algorithms", context_.choices().notes()}};
  }

 private:
  // Calls use(pointer) with the type of what is packed.
  template <typename Use>
  static void with_type(const Packed& packed, const Use& use) {
    if constexpr (!std::is_same_v<T, float>) {
      use(static_cast<float*>(packed.data));
    } else if (packed.type == device::DataType::kFloat16) {
      use(static_cast<device::Half*>(packed.data));
    } else {
      use(static_cast<device::Bf16*>(packed.data));
    }
  }

  CudaContext context_;
  Launch launch_;
};

}  // namespace

template <typename T>
std::unique_ptr<Ops<T>> make_cuda_ops(device::Arena& arena, const CudaOptions& options) {
  return std::make_unique<CudaOps<T>>(arena, options);
}

template std::unique_ptr<Ops<float>> make_cuda_ops(device::Arena&, const CudaOptions&);
template std::unique_ptr<Ops<device::Bf16>> make_cuda_ops(device::Arena&, const CudaOptions&);
template std::unique_ptr<Ops<device::Half>> make_cuda_ops(device::Arena&, const CudaOptions&);

}  // namespace scalestudy::ops

// Attention as batched products of all heads, with the softmax between them.
#include <cmath>
#include <vector>

#include "workloads/ops/cuda/cuda_attention_kernels.h"
#include "workloads/ops/cuda/cuda_matmul.h"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class CudaAttention final : public Attention<T> {
 public:
  CudaAttention(const AttentionShape& shape, CudaContext& context, device::Arena& arena)
      : shape_(shape),
        launch_{context.stream(), context.partials()},
        arena_(arena),
        head_elements_(shape.batch * shape.heads * shape.tokens * shape.head_width),
        weights_(arena.take<T>(weight_elements()).data()),
        scores_(product(
            context, {.n = shape.tokens, .k = shape.head_width, .b_transposed = true}, scale())),
        output_(product(context, {.n = shape.head_width, .k = shape.tokens})),
        dvalues_(
            product(context, {.n = shape.head_width, .k = shape.tokens, .a_transposed = true})),
        dweights_(
            product(context, {.n = shape.tokens, .k = shape.head_width, .b_transposed = true})),
        dqueries_(product(context, {.n = shape.head_width, .k = shape.tokens}, scale())),
        dkeys_(product(
            context, {.n = shape.head_width, .k = shape.tokens, .a_transposed = true}, scale())) {
    arena.reserve_scratch((7 * head_elements_ + weight_elements()) * sizeof(T));
    if (shape.has_rotary) {
      make_turns(arena);
    }
  }

  void forward(const T* qkv, T* y) override {
    T* const scratch = static_cast<T*>(arena_.scratch());
    const Heads<T> heads = heads_at(scratch);
    T* const output = scratch + 3 * head_elements_;  // (N, tokens, head_width)
    cuda_split_heads(shape_, qkv, turns_, heads, launch_);
    scores_->run(heads.queries, heads.keys, nullptr, weights_);
    cuda_causal_softmax(shape_, weights_, launch_);
    output_->run(weights_, heads.values, nullptr, output);
    cuda_join_output(shape_, output, y, launch_);
  }

  void backward(const T* qkv, const T* dy, T* dqkv) override {
    T* const scratch = static_cast<T*>(arena_.scratch());
    const Heads<T> heads = heads_at(scratch);
    const Heads<T> gradients = heads_at(scratch + 3 * head_elements_);
    T* const doutput = scratch + 6 * head_elements_;   // (N, tokens, head_width)
    T* const dweights = scratch + 7 * head_elements_;  // (N, tokens, tokens)
    cuda_split_heads(shape_, qkv, turns_, heads, launch_);
    cuda_split_output(shape_, dy, doutput, launch_);
    dvalues_->run(weights_, doutput, nullptr, gradients.values);
    dweights_->run(doutput, heads.values, nullptr, dweights);
    cuda_causal_softmax_backward(shape_, weights_, dweights, launch_);
    dqueries_->run(dweights, heads.keys, nullptr, gradients.queries);
    dkeys_->run(dweights, heads.queries, nullptr, gradients.keys);
    cuda_join_heads(shape_, gradients, turns_, dqkv, launch_);
  }

 private:
  std::size_t weight_elements() const {
    return shape_.batch * shape_.heads * shape_.tokens * shape_.tokens;
  }
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape_.head_width)); }

  Heads<T> heads_at(T* first) const {
    return {first, first + head_elements_, first + 2 * head_elements_};
  }

  // One product a head; every operand lies one head after another. The rows of the result are
  // queries or keys: `tokens` of them.
  std::unique_ptr<Matmul<T>> product(CudaContext& context,
                                     MatmulShape shape,
                                     float factor = 1.0F) const {
    shape.m = shape_.tokens;
    return make_cuda_matmul<T>(shape,
                               context,
                               {.count = shape_.batch * shape_.heads,
                                .a_stride = shape.m * shape.k,
                                .b_stride = shape.k * shape.n,
                                .c_stride = shape.m * shape.n,
                                .factor = factor});
  }

  void make_turns(device::Arena& arena) {
    const std::size_t half = shape_.head_width / 2;
    std::vector<float2> turns(shape_.tokens * half);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double angle = rotary_angle(i / half, i % half, shape_.head_width);
      turns[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
    turns_ = arena.take<float2>(turns.size()).data();
    arena.device().copy_to_device(turns_, turns.data(), turns.size() * sizeof(float2));
  }

  AttentionShape shape_;
  Launch launch_;
  device::Arena& arena_;
  std::size_t head_elements_;
  T* weights_;               // (N, tokens, tokens), of the last forward; N = B * heads
  float2* turns_ = nullptr;  // (tokens, head_width / 2)
  std::unique_ptr<Matmul<T>> scores_;
  std::unique_ptr<Matmul<T>> output_;
  std::unique_ptr<Matmul<T>> dvalues_;
  std::unique_ptr<Matmul<T>> dweights_;
  std::unique_ptr<Matmul<T>> dqueries_;
  std::unique_ptr<Matmul<T>> dkeys_;
};

}  // namespace

template <typename T>
std::unique_ptr<Attention<T>> make_cuda_attention(const AttentionShape& shape,
                                                  CudaContext& context,
                                                  device::Arena& arena) {
  return std::make_unique<CudaAttention<T>>(shape, context, arena);
}

template decltype(make_cuda_attention<float>) make_cuda_attention<float>;
template decltype(make_cuda_attention<device::Bf16>) make_cuda_attention<device::Bf16>;
template decltype(make_cuda_attention<device::Half>) make_cuda_attention<device::Half>;

}  // namespace scalestudy::ops

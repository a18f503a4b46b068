// One block of a decoder: attention, then a feed-forward layer, each normalised and around a
// residual.
//
// N  rows: B samples of T tokens; d width, f width of the inner layer.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/model/layer.h"
#include "workloads/model/projection.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// Gradients inside a block, used by one block after another.
template <typename T>
struct BlockScratch {
  BlockScratch(const TransformerSpec& spec, std::size_t batch, device::Arena& arena);

  T* dnormal;  // (N, d)
  T* dqkv;     // (N, 3 d)
  T* dinner;   // (N, f)
  T* dhidden;  // (N, f), dinner itself; LLaMA: (N, 2 f)
};

// `ops`, `scratch` and `arena` outlive the block.
template <typename T>
class TransformerBlock {
 public:
  TransformerBlock(const TransformerSpec& spec,
                   std::size_t batch,
                   BlockScratch<T>& scratch,
                   ops::Ops<T>& ops,
                   device::Arena& arena);

  // See Layer::padded_count().
  std::size_t padded_count() const;
  // See Layer::bind(); the order of tensors is that of tensor_elements().
  void bind(T* parameters, T* gradients);

  // x (N, d) -> y (N, d); x is kept until backward().
  void forward(const T* x, T* y);
  // dx (N, d) holds the gradient of y and becomes that of x.
  void backward(const T* x, T* dx, const GradientsReady& ready);

 private:
  // A normalisation with its parameters.
  struct Norm {
    std::unique_ptr<ops::RowNorm<T>> norm;
    T* scale = nullptr;   // (d)
    T* shift = nullptr;   // (d), nullptr for LLaMA
    T* dscale = nullptr;  // (d)
    T* dshift = nullptr;  // (d)
  };

  // Elements of scale and shift, or of the scale alone.
  std::size_t norm_count() const {
    return (spec_.is_llama ? 1 : 2) * model::padded_count<T>(spec_.width);
  }
  void backward_feed_forward(T* dx, const GradientsReady& ready);
  void backward_attention(const T* x, T* dx, const GradientsReady& ready);

  TransformerSpec spec_;
  std::size_t rows_;
  BlockScratch<T>& scratch_;
  ops::Ops<T>& ops_;
  Norm attention_norm_;
  Projection<T> qkv_projection_;
  std::unique_ptr<ops::Attention<T>> attention_;
  Projection<T> attention_projection_;
  Norm feed_forward_norm_;
  Projection<T> hidden_projection_;
  std::unique_ptr<ops::Activation<T>> activation_;
  Projection<T> output_projection_;
  T* attention_normal_;     // (N, d)
  T* qkv_;                  // (N, 3 d)
  T* attended_;             // (N, d)
  T* middle_;               // (N, d): x + attention
  T* feed_forward_normal_;  // (N, d)
  T* hidden_;               // (N, f), LLaMA: (N, 2 f): gates, values
  T* inner_;                // (N, f)
};

}  // namespace scalestudy::model

#include "workloads/model/transformer_block.h"

namespace scalestudy::model {
namespace {

std::size_t hidden_width(const TransformerSpec& spec) {
  return (spec.is_llama ? 2 : 1) * spec.feed_forward();
}

template <typename T>
std::unique_ptr<ops::RowNorm<T>> make_norm(const TransformerSpec& spec,
                                           std::size_t rows,
                                           ops::Ops<T>& ops,
                                           device::Arena& arena) {
  return ops.make_row_norm({.rows = rows, .columns = spec.width, .is_rms = spec.is_llama}, arena);
}

}  // namespace

template <typename T>
BlockScratch<T>::BlockScratch(const TransformerSpec& spec, std::size_t batch, device::Arena& arena)
    : dnormal(arena.take<T>(batch * spec.tokens * spec.width).data()),
      dqkv(arena.take<T>(batch * spec.tokens * 3 * spec.width).data()),
      dinner(arena.take<T>(batch * spec.tokens * spec.feed_forward()).data()),
      dhidden(spec.is_llama ? arena.take<T>(batch * spec.tokens * hidden_width(spec)).data()
                            : dinner) {}

template <typename T>
TransformerBlock<T>::TransformerBlock(const TransformerSpec& spec,
                                      std::size_t batch,
                                      BlockScratch<T>& scratch,
                                      ops::Ops<T>& ops,
                                      device::Arena& arena)
    : spec_(spec),
      rows_(batch * spec.tokens),
      scratch_(scratch),
      ops_(ops),
      attention_norm_{make_norm(spec, rows_, ops, arena)},
      qkv_projection_({rows_, spec.width, 3 * spec.width, !spec.is_llama}, ops, arena),
      attention_(ops.make_attention({.batch = batch,
                                     .tokens = spec.tokens,
                                     .heads = spec.heads,
                                     .head_width = spec.width / spec.heads,
                                     .has_rotary = spec.is_llama},
                                    arena)),
      attention_projection_({rows_, spec.width, spec.width, !spec.is_llama}, ops, arena),
      feed_forward_norm_{make_norm(spec, rows_, ops, arena)},
      hidden_projection_({rows_, spec.width, hidden_width(spec), !spec.is_llama}, ops, arena),
      activation_(ops.make_activation(
          {.rows = rows_, .columns = spec.feed_forward(), .is_swiglu = spec.is_llama}, arena)),
      output_projection_({rows_, spec.feed_forward(), spec.width, !spec.is_llama}, ops, arena),
      attention_normal_(arena.take<T>(rows_ * spec.width).data()),
      qkv_(arena.take<T>(rows_ * 3 * spec.width).data()),
      attended_(arena.take<T>(rows_ * spec.width).data()),
      middle_(arena.take<T>(rows_ * spec.width).data()),
      feed_forward_normal_(arena.take<T>(rows_ * spec.width).data()),
      hidden_(arena.take<T>(rows_ * hidden_width(spec)).data()),
      inner_(arena.take<T>(rows_ * spec.feed_forward()).data()) {}

template <typename T>
std::size_t TransformerBlock<T>::padded_count() const {
  return output_projection_.padded_count() + hidden_projection_.padded_count() +
         attention_projection_.padded_count() + qkv_projection_.padded_count() + 2 * norm_count();
}

template <typename T>
void TransformerBlock<T>::bind(T* parameters, T* gradients) {
  const auto bind_projection = [&](Projection<T>& projection) {
    projection.bind(parameters, gradients);
    parameters += projection.padded_count();
    gradients += projection.padded_count();
  };
  const auto bind_norm = [&](Norm& norm) {
    norm.scale = parameters;
    norm.dscale = gradients;
    if (!spec_.is_llama) {
      norm.shift = parameters + norm_count() / 2;
      norm.dshift = gradients + norm_count() / 2;
    }
    parameters += norm_count();
    gradients += norm_count();
  };
  bind_projection(output_projection_);
  bind_projection(hidden_projection_);
  bind_norm(feed_forward_norm_);
  bind_projection(attention_projection_);
  bind_projection(qkv_projection_);
  bind_norm(attention_norm_);
}

template <typename T>
void TransformerBlock<T>::forward(const T* x, T* y) {
  const std::size_t count = rows_ * spec_.width;
  attention_norm_.norm->forward(x, attention_norm_.scale, attention_norm_.shift, attention_normal_);
  qkv_projection_.forward(attention_normal_, qkv_);
  attention_->forward(qkv_, attended_);
  attention_projection_.forward(attended_, middle_);
  ops_.add({middle_, count}, x);

  feed_forward_norm_.norm->forward(
      middle_, feed_forward_norm_.scale, feed_forward_norm_.shift, feed_forward_normal_);
  hidden_projection_.forward(feed_forward_normal_, hidden_);
  activation_->forward(hidden_, inner_);
  output_projection_.forward(inner_, y);
  ops_.add({y, count}, middle_);
}

template <typename T>
void TransformerBlock<T>::backward(const T* x, T* dx, const GradientsReady& ready) {
  backward_feed_forward(dx, ready);
  backward_attention(x, dx, ready);
}

template <typename T>
void TransformerBlock<T>::backward_feed_forward(T* dx, const GradientsReady& ready) {
  output_projection_.backward_bias(dx);
  output_projection_.backward_weights(inner_, dx);
  ready(output_projection_.padded_count());
  output_projection_.backward_input(dx, scratch_.dinner);

  activation_->backward(
      hidden_, scratch_.dinner, scratch_.dhidden, hidden_projection_.bias_gradient());
  hidden_projection_.backward_weights(feed_forward_normal_, scratch_.dhidden);
  ready(hidden_projection_.padded_count());
  hidden_projection_.backward_input(scratch_.dhidden, scratch_.dnormal);

  Norm& norm = feed_forward_norm_;
  norm.norm->backward(middle_, norm.scale, scratch_.dnormal, norm.dscale, norm.dshift, dx);
  ready(norm_count());
}

template <typename T>
void TransformerBlock<T>::backward_attention(const T* x, T* dx, const GradientsReady& ready) {
  attention_projection_.backward_bias(dx);
  attention_projection_.backward_weights(attended_, dx);
  ready(attention_projection_.padded_count());
  attention_projection_.backward_input(dx, scratch_.dnormal);

  attention_->backward(qkv_, scratch_.dnormal, scratch_.dqkv);
  qkv_projection_.backward_bias(scratch_.dqkv);
  qkv_projection_.backward_weights(attention_normal_, scratch_.dqkv);
  ready(qkv_projection_.padded_count());
  qkv_projection_.backward_input(scratch_.dqkv, scratch_.dnormal);

  Norm& norm = attention_norm_;
  norm.norm->backward(x, norm.scale, scratch_.dnormal, norm.dscale, norm.dshift, dx);
  ready(norm_count());
}

template struct BlockScratch<float>;
template struct BlockScratch<double>;
template struct BlockScratch<device::Bf16>;
template struct BlockScratch<device::Half>;
template class TransformerBlock<float>;
template class TransformerBlock<double>;
template class TransformerBlock<device::Bf16>;
template class TransformerBlock<device::Half>;

}  // namespace scalestudy::model

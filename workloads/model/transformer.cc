#include "workloads/model/transformer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/model/transformer_block.h"
#include "workloads/model/uniform.h"

namespace scalestudy::model {
namespace {

// Initial values, tensor after tensor in the order of tensor_elements(); padding is left as it is.
// GPT-2's deviation of 0.02, and of weights that add to the residual stream the 1 / sqrt(2 L) of
// it; uniform of that variance.
// source: Radford et al. 2019, section 2.3; github.com/openai/gpt-2, src/model.py.
template <typename T>
class InitialValues {
 public:
  InitialValues(T* values, std::uint64_t seed, ops::Purpose purpose)
      : values_(values), seed_(seed), purpose_(purpose) {}

  void random(std::size_t count, double deviation = kDeviation) {
    fill_uniform<T>({values_, count}, std::sqrt(3.0) * deviation, seed_, purpose_, index_++);
    values_ += padded_count<T>(count);
  }
  // The values of a (rows, columns) in rows of `stride`: padding changes none of them.
  void random_rows(std::size_t rows, std::size_t columns, std::size_t stride) {
    std::vector<T> dense(rows * columns);
    fill_uniform<T>(dense, std::sqrt(3.0) * kDeviation, seed_, purpose_, index_++);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(&dense[row * columns], columns, values_ + row * stride);
    }
    values_ += padded_count<T>(rows * stride);
  }
  void constant(std::size_t count, T value) {
    std::fill(values_, values_ + count, value);
    values_ += padded_count<T>(count);
  }
  // shift  0 elements where there is none.
  void norm(std::size_t scale_count, std::size_t shift_count) {
    constant(scale_count, T(1));
    constant(shift_count, T(0));
  }
  void projection(const ProjectionShape& shape, double deviation = kDeviation) {
    constant(shape.bias_count(), T(0));
    random(shape.weight_count(), deviation);
  }

  static constexpr double kDeviation = 0.02;

 private:
  T* values_;
  std::uint64_t seed_;
  ops::Purpose purpose_;
  std::uint32_t index_ = 0;
};

template <typename T>
class Transformer final : public Model<T> {
 public:
  Transformer(const TransformerSpec& spec,
              std::size_t batch,
              ops::Ops<T>& ops,
              device::Arena& arena)
      : spec_(spec),
        rows_(batch * spec.tokens),
        device_(arena.device()),
        embedding_(ops.make_embedding({.batch = batch,
                                       .tokens = spec.tokens,
                                       .width = spec.width,
                                       .vocabulary = spec.vocabulary,
                                       .has_positions = !spec.is_llama,
                                       .is_tied = !spec.is_llama},
                                      arena)),
        scratch_(spec, batch, arena),
        norm_(ops.make_row_norm(
            {.rows = rows_, .columns = spec.width, .is_rms = spec.is_llama, .is_residual = false},
            arena)),
        embedded_(arena.take<T>(rows_ * spec.width).data()),
        normal_(arena.take<T>(rows_ * spec.width).data()),
        logits_(arena.take<T>(rows_ * spec.padded_vocabulary()).data()),
        dx_(arena.take<T>(rows_ * spec.width).data()) {
    for (std::size_t layer = 0; layer < spec.layers; ++layer) {
      blocks_.push_back(std::make_unique<TransformerBlock<T>>(spec, batch, scratch_, ops, arena));
    }
    make_head(ops, arena);
    bind(arena);
  }

  void initialise(std::uint64_t seed, ops::Purpose purpose) override {
    const std::size_t d = spec_.width;
    const std::size_t f = spec_.feed_forward();
    const std::size_t shift = spec_.is_llama ? 0 : d;
    const bool has_bias = !spec_.is_llama;
    const double residual =
        InitialValues<T>::kDeviation / std::sqrt(2.0 * static_cast<double>(spec_.layers));
    std::vector<T> host(parameters_.size());
    InitialValues<T> values(host.data(), seed, purpose);
    if (spec_.is_llama) {
      values.random_rows(d, spec_.vocabulary, spec_.padded_vocabulary());
    }
    values.norm(d, shift);
    for (std::size_t layer = 0; layer < spec_.layers; ++layer) {
      values.projection({0, f, d, has_bias}, residual);
      values.projection({0, d, (spec_.is_llama ? 2 : 1) * f, has_bias});
      values.norm(d, shift);
      values.projection({0, d, d, has_bias}, residual);
      values.projection({0, d, 3 * d, has_bias});
      values.norm(d, shift);
    }
    if (!spec_.is_llama) {
      values.random(spec_.tokens * d);
    }
    values.random(spec_.vocabulary * d);  // and zeros for the rows that no token has
    device_.copy_to_device(parameters_.data(), host.data(), parameters_.size_bytes());
  }

  ops::Matrix<T> forward(const Input<T>& input, const Pass& /*pass*/) override {
    embedding_->forward(input.tokens, table_, positions_, embedded_);
    const T* x = embedded_;
    block_inputs_.clear();
    for (const auto& block : blocks_) {
      block_inputs_.push_back(x);
      x = block->forward(x);
    }
    norm_input_ = x;
    norm_->forward(x, norm_scale_, norm_shift_, normal_);
    logits_product_->run(normal_, output_weights_, nullptr, logits_);
    return {logits_, rows_, spec_.padded_vocabulary()};
  }

  void backward(const Input<T>& input, const GradientsReady& ready) override {
    if (spec_.is_llama) {
      weight_gradient_->run(normal_, logits_, nullptr, output_weight_gradients_);
      ready(table_count());
    } else {
      weight_gradient_->run(logits_, normal_, nullptr, output_weight_gradients_);
    }
    input_gradient_->run(logits_, output_weights_, nullptr, scratch_.dnormal);
    norm_->backward(norm_input_, norm_scale_, scratch_.dnormal, dnorm_scale_, dnorm_shift_, dx_);
    ready(norm_count());
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      blocks_[i]->backward(block_inputs_[i], dx_, ready);
    }
    embedding_->backward(input.tokens, dx_, dtable_, dpositions_);
    ready(position_count() + table_count());
  }

  std::span<T> parameters() const override { return parameters_; }
  std::span<T> gradients() const override { return gradients_; }

 private:
  // Elements of the flat buffers: scale and shift of a norm, positions, and embeddings of the
  // padded vocabulary, as many as output weights.
  std::size_t norm_count() const { return (spec_.is_llama ? 1 : 2) * padded_count<T>(spec_.width); }
  std::size_t position_count() const {
    return spec_.is_llama ? 0 : padded_count<T>(spec_.tokens * spec_.width);
  }
  std::size_t table_count() const {
    return padded_count<T>(spec_.padded_vocabulary() * spec_.width);
  }

  // Output weights: (d, V) of LLaMA; GPT's table (V, d). V is the padded vocabulary: what lies
  // behind the real one starts as zero, gets gradients of zero and stays so.
  void make_head(ops::Ops<T>& ops, device::Arena& arena) {
    const std::size_t d = spec_.width;
    const std::size_t v = spec_.padded_vocabulary();
    const bool is_tied = !spec_.is_llama;
    logits_product_ = ops.make_matmul({.m = rows_, .n = v, .k = d, .b_transposed = is_tied}, arena);
    weight_gradient_ = ops.make_matmul(
        {.m = is_tied ? v : d, .n = is_tied ? d : v, .k = rows_, .a_transposed = true}, arena);
    input_gradient_ =
        ops.make_matmul({.m = rows_, .n = d, .k = v, .b_transposed = !is_tied}, arena);
  }

  void bind(device::Arena& arena) {
    std::size_t count = norm_count() + position_count() + (spec_.is_llama ? 2 : 1) * table_count();
    for (const auto& block : blocks_) {
      count += block->padded_count();
    }
    parameters_ = arena.take<T>(count);
    gradients_ = arena.take<T>(count);
    const std::size_t table = count - table_count();
    table_ = &parameters_[table];
    dtable_ = &gradients_[table];
    if (!spec_.is_llama) {
      positions_ = table_ - position_count();
      dpositions_ = dtable_ - position_count();
    }
    output_weights_ = spec_.is_llama ? parameters_.data() : table_;
    output_weight_gradients_ = spec_.is_llama ? gradients_.data() : dtable_;
    std::size_t offset = spec_.is_llama ? table_count() : 0;
    norm_scale_ = &parameters_[offset];
    dnorm_scale_ = &gradients_[offset];
    if (!spec_.is_llama) {
      norm_shift_ = norm_scale_ + norm_count() / 2;
      dnorm_shift_ = dnorm_scale_ + norm_count() / 2;
    }
    offset += norm_count();
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      (*block)->bind(&parameters_[offset], &gradients_[offset]);
      offset += (*block)->padded_count();
    }
    block_inputs_.reserve(blocks_.size());
  }

  TransformerSpec spec_;
  std::size_t rows_;  // N
  device::Device& device_;
  std::unique_ptr<ops::Embedding<T>> embedding_;
  BlockScratch<T> scratch_;
  std::vector<std::unique_ptr<TransformerBlock<T>>> blocks_;
  std::unique_ptr<ops::RowNorm<T>> norm_;
  std::unique_ptr<ops::Matmul<T>> logits_product_;
  std::unique_ptr<ops::Matmul<T>> weight_gradient_;
  std::unique_ptr<ops::Matmul<T>> input_gradient_;
  T* embedded_;                         // (N, d)
  std::vector<const T*> block_inputs_;  // (N, d) each
  const T* norm_input_ = nullptr;       // (N, d)
  T* normal_;                           // (N, d)
  T* logits_;                           // (N, V), V padded
  T* dx_;                               // (N, d): gradient of the residual stream
  std::span<T> parameters_;
  std::span<T> gradients_;
  T* table_ = nullptr;                    // (V, d)
  T* dtable_ = nullptr;                   // (V, d)
  T* positions_ = nullptr;                // (T, d), nullptr for LLaMA
  T* dpositions_ = nullptr;               // (T, d)
  T* output_weights_ = nullptr;           // table_; LLaMA: (d, V)
  T* output_weight_gradients_ = nullptr;  // dtable_; LLaMA: (d, V)
  T* norm_scale_ = nullptr;               // (d)
  T* norm_shift_ = nullptr;               // (d), nullptr for LLaMA
  T* dnorm_scale_ = nullptr;              // (d)
  T* dnorm_shift_ = nullptr;              // (d)
};

}  // namespace

template <typename T>
std::unique_ptr<Model<T>> make_transformer(const TransformerSpec& spec,
                                           std::size_t batch,
                                           ops::Ops<T>& ops,
                                           device::Arena& arena) {
  return std::make_unique<Transformer<T>>(spec, batch, ops, arena);
}

template std::unique_ptr<Model<float>> make_transformer(const TransformerSpec&,
                                                        std::size_t,
                                                        ops::Ops<float>&,
                                                        device::Arena&);
template std::unique_ptr<Model<double>> make_transformer(const TransformerSpec&,
                                                         std::size_t,
                                                         ops::Ops<double>&,
                                                         device::Arena&);
template std::unique_ptr<Model<device::Bf16>> make_transformer(const TransformerSpec&,
                                                               std::size_t,
                                                               ops::Ops<device::Bf16>&,
                                                               device::Arena&);
template std::unique_ptr<Model<device::Half>> make_transformer(const TransformerSpec&,
                                                               std::size_t,
                                                               ops::Ops<device::Half>&,
                                                               device::Arena&);

}  // namespace scalestudy::model

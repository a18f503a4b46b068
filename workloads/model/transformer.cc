#include "workloads/model/transformer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/model/transformer_block.h"
#include "workloads/model/uniform.h"

namespace scalestudy::model {
namespace {

// Initial values of a unit, tensor after tensor in the order of tensor_elements(); padding is left
// as it is.
// GPT-2's deviation of 0.02, and of weights that add to the residual stream the 1 / sqrt(2 L) of
// it; uniform of that variance.
// source: Radford et al. 2019, section 2.3; github.com/openai/gpt-2, src/model.py.
template <typename T>
class InitialValues {
 public:
  // index  of the unit's first tensor that is random, among all of these.
  InitialValues(T* values, std::uint64_t seed, ops::Purpose purpose, std::size_t index)
      : values_(values),
        seed_(seed),
        purpose_(purpose),
        index_(static_cast<std::uint32_t>(index)) {}

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
  void go_to(T* values) { values_ = values; }
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
  std::uint32_t index_;
};

template <typename T>
class Transformer final : public Model<T> {
 public:
  Transformer(const TransformerSpec& spec,
              std::size_t batch,
              ops::Ops<T>& ops,
              const Layout& layout,
              device::Arena& arena)
      : Model<T>(layout, arena),
        spec_(spec),
        run_(layout.units),
        rows_(batch * spec.tokens),
        device_(arena.device()),
        scratch_(spec, batch, arena) {
    if (has_embedding()) {
      make_embedding(batch, ops, arena);
    }
    layers_ = std::min(run_.end, spec.layers + 1) - std::max<std::size_t>(run_.first, 1);
    places_.resize(layers_);
    const std::size_t every = layout.checkpoint_every;
    const std::size_t block_count = every == 0 ? layers_ : std::min(every, layers_);
    for (std::size_t i = 0; i < block_count; ++i) {
      blocks_.push_back(std::make_unique<TransformerBlock<T>>(spec, batch, scratch_, ops, arena));
    }
    take_outputs(arena);
    if (has_head()) {
      make_head(ops, arena);
      this->add_unit((has_own_weights() ? table_count() : 0) + norm_count(), true);
    }
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      this->add_unit(blocks_.front()->padded_count(), false);
    }
    if (has_embedding()) {
      this->add_unit(position_count() + table_count(), true);
    }
    this->finish_units();
  }

  // Units: the last norm with LLaMA's output weights, the blocks, last to first, and the embedding;
  // of a stage those of its run, with a copy of GPT's table where the embedding is elsewhere.
  void bind(std::size_t unit, T* parameters, T* gradients) override {
    const std::size_t of_model = unit + run_.first;
    if (of_model == 0) {
      bind_head(parameters, gradients);
    } else if (of_model <= spec_.layers) {
      const std::size_t layer = block_units_end() - unit - 1;
      places_[layer] = {parameters, gradients};
      block(layer);
    } else {
      bind_embedding(parameters, gradients);
    }
  }

  ops::Matrix<T> forward(const Input<T>& input, const Pass& /*pass*/) override {
    begin_ = input.values;
    if (has_embedding()) {
      this->before_forward(embedding_unit());
      embedding_->forward(input.tokens, table_, positions_, embedded_);
      begin_ = embedded_;
    }
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      this->before_forward(unit_of(layer));
      block(layer).forward(input_of(layer), outputs_[layer]);
    }
    if (!has_head()) {
      return {layers_ == 0 ? embedded_ : outputs_.back(), rows_, spec_.width};
    }
    this->before_forward(0);
    norm_->forward(input_of(layers_), norm_scale_, norm_shift_, normal_);
    logits_product_->run(normal_, output_weights_, nullptr, logits_);
    return {logits_, rows_, spec_.padded_vocabulary()};
  }

  void backward(const Input<T>& input, const GradientsReady& ready) override {
    T* dx = has_embedding() ? dx_ : this->ends().input_gradient;
    if (has_head()) {
      backward_head(dx, ready);
    } else {
      device_.copy(dx, this->ends().output_gradient, rows_ * spec_.width * sizeof(T));
    }
    for (std::size_t layer = layers_; layer-- > 0;) {
      this->before_backward(unit_of(layer));
      if ((layer + 1) % blocks_.size() == 0 && layer + 1 < layers_) {
        recompute_segment(layer);
      }
      block(layer).backward(input_of(layer), dx, ready);
    }
    if (!has_embedding()) {
      return;
    }
    if (spec_.is_llama) {
      this->before_backward(embedding_unit());
    }
    embedding_->backward(input.tokens, dx, dtable_, dpositions_);
    ready(position_count() + table_count());
  }

 private:
  struct Place {
    T* parameters;
    T* gradients;
  };

  bool has_head() const { return run_.has(0); }
  bool has_embedding() const { return run_.has(spec_.layers + 1); }
  // Of the head: output weights that are not the table of this rank's embedding.
  bool has_own_weights() const { return spec_.is_llama || !has_embedding(); }
  // Layers and units are counted in the run.
  std::size_t block_units_end() const { return layers_ + (has_head() ? 1 : 0); }
  std::size_t unit_of(std::size_t layer) const { return block_units_end() - layer - 1; }
  std::size_t embedding_unit() const { return block_units_end(); }
  const T* input_of(std::size_t layer) const { return layer == 0 ? begin_ : outputs_[layer - 1]; }
  // The block that computes a layer, with that layer's parameters.
  TransformerBlock<T>& block(std::size_t layer) {
    TransformerBlock<T>& found = *blocks_[layer % blocks_.size()];
    found.bind(places_[layer].parameters, places_[layer].gradients);
    return found;
  }

  // Of layers that end a segment one each; the others of all segments share theirs.
  void take_outputs(device::Arena& arena) {
    const std::size_t every = blocks_.size();
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const bool is_end = (layer + 1) % every == 0 || layer + 1 == layers_;
      outputs_.push_back(is_end || layer < every ? arena.take<T>(rows_ * spec_.width).data()
                                                 : outputs_[layer - every]);
    }
  }

  // What backward needs of the segment that ends with `last`, from the input of its first layer:
  // the same operations on the same numbers as in forward.
  void recompute_segment(std::size_t last) {
    for (std::size_t layer = last + 1 - blocks_.size(); layer <= last; ++layer) {
      block(layer).forward(input_of(layer), outputs_[layer]);
    }
  }

  void fill_initial(std::size_t unit,
                    T* host,
                    std::uint64_t seed,
                    ops::Purpose purpose) const override {
    const std::size_t d = spec_.width;
    const std::size_t f = spec_.feed_forward();
    const std::size_t shift = spec_.is_llama ? 0 : d;
    const bool has_bias = !spec_.is_llama;
    const double residual =
        InitialValues<T>::kDeviation / std::sqrt(2.0 * static_cast<double>(spec_.layers));
    constexpr std::size_t block_projections = 4;
    const std::size_t of_model = unit + run_.first;
    const std::size_t index =
        of_model == 0 ? (spec_.is_llama ? 0 : block_projections * spec_.layers + 1)  // the table's
                      : (spec_.is_llama ? 1 : 0) + block_projections * (of_model - 1);
    InitialValues<T> values(host, seed, purpose, index);
    if (of_model == 0) {
      if (spec_.is_llama) {
        values.random_rows(d, spec_.vocabulary, spec_.padded_vocabulary());
      } else if (has_own_weights()) {
        values.random(spec_.vocabulary * d);
        values.go_to(host + table_count());
      }
      values.norm(d, shift);
    } else if (of_model <= spec_.layers) {
      values.projection({0, f, d, has_bias}, residual);
      values.projection({0, d, (spec_.is_llama ? 2 : 1) * f, has_bias});
      values.norm(d, shift);
      values.projection({0, d, d, has_bias}, residual);
      values.projection({0, d, 3 * d, has_bias});
      values.norm(d, shift);
    } else {
      if (!spec_.is_llama) {
        values.random(spec_.tokens * d);
      }
      values.random(spec_.vocabulary * d);  // and zeros for the rows that no token has
    }
  }

  // Elements of the flat buffers: scale and shift of a norm, positions, and embeddings of the
  // padded vocabulary, as many as output weights.
  std::size_t norm_count() const { return (spec_.is_llama ? 1 : 2) * padded_count<T>(spec_.width); }
  std::size_t position_count() const {
    return spec_.is_llama ? 0 : padded_count<T>(spec_.tokens * spec_.width);
  }
  std::size_t table_count() const {
    return padded_count<T>(spec_.padded_vocabulary() * spec_.width);
  }

  void make_embedding(std::size_t batch, ops::Ops<T>& ops, device::Arena& arena) {
    embedding_ = ops.make_embedding({.batch = batch,
                                     .tokens = spec_.tokens,
                                     .width = spec_.width,
                                     .vocabulary = spec_.vocabulary,
                                     .has_positions = !spec_.is_llama,
                                     .is_tied = !spec_.is_llama && has_head()},
                                    arena);
    embedded_ = arena.take<T>(rows_ * spec_.width).data();
    dx_ = arena.take<T>(rows_ * spec_.width).data();
  }

  // Output weights: (d, V) of LLaMA; GPT's table (V, d). V is the padded vocabulary: what lies
  // behind the real one starts as zero, gets gradients of zero and stays so.
  void make_head(ops::Ops<T>& ops, device::Arena& arena) {
    norm_ = ops.make_row_norm(
        {.rows = rows_, .columns = spec_.width, .is_rms = spec_.is_llama, .is_residual = false},
        arena);
    normal_ = arena.take<T>(rows_ * spec_.width).data();
    logits_ = arena.take<T>(rows_ * spec_.padded_vocabulary()).data();
    const std::size_t d = spec_.width;
    const std::size_t v = spec_.padded_vocabulary();
    const bool is_tied = !spec_.is_llama;
    logits_product_ = ops.make_matmul({.m = rows_, .n = v, .k = d, .b_transposed = is_tied}, arena);
    weight_gradient_ = ops.make_matmul(
        {.m = is_tied ? v : d, .n = is_tied ? d : v, .k = rows_, .a_transposed = true}, arena);
    input_gradient_ =
        ops.make_matmul({.m = rows_, .n = d, .k = v, .b_transposed = !is_tied}, arena);
  }

  void backward_head(T* dx, const GradientsReady& ready) {
    this->before_backward(0);
    if (!has_own_weights()) {
      this->before_backward(embedding_unit());
    }
    const bool is_llama = spec_.is_llama;
    weight_gradient_->run(is_llama ? normal_ : logits_,
                          is_llama ? logits_ : normal_,
                          nullptr,
                          output_weight_gradients_);
    if (has_own_weights()) {
      ready(table_count());
    }
    input_gradient_->run(logits_, output_weights_, nullptr, scratch_.dnormal);
    norm_->backward(
        input_of(layers_), norm_scale_, scratch_.dnormal, dnorm_scale_, dnorm_shift_, dx);
    ready(norm_count());
  }

  void bind_head(T* parameters, T* gradients) {
    if (has_own_weights()) {
      output_weights_ = parameters;
      output_weight_gradients_ = gradients;
      parameters += table_count();
      gradients += table_count();
    }
    if (!spec_.is_llama) {
      norm_shift_ = parameters + norm_count() / 2;
      dnorm_shift_ = gradients + norm_count() / 2;
    }
    norm_scale_ = parameters;
    dnorm_scale_ = gradients;
  }

  void bind_embedding(T* parameters, T* gradients) {
    if (!spec_.is_llama) {
      positions_ = parameters;
      dpositions_ = gradients;
    }
    table_ = parameters + position_count();
    dtable_ = gradients + position_count();
    if (!spec_.is_llama) {
      output_weights_ = table_;
      output_weight_gradients_ = dtable_;
    }
  }

  TransformerSpec spec_;
  UnitRun run_;
  std::size_t rows_;  // N
  device::Device& device_;
  std::size_t layers_ = 0;                        // of the run
  std::unique_ptr<ops::Embedding<T>> embedding_;  // nullptr without an embedding
  BlockScratch<T> scratch_;
  std::vector<std::unique_ptr<TransformerBlock<T>>> blocks_;  // of a segment
  std::unique_ptr<ops::RowNorm<T>> norm_;
  std::unique_ptr<ops::Matmul<T>> logits_product_;
  std::unique_ptr<ops::Matmul<T>> weight_gradient_;
  std::unique_ptr<ops::Matmul<T>> input_gradient_;
  const T* begin_ = nullptr;              // (N, d): what the first layer reads
  T* embedded_ = nullptr;                 // (N, d)
  std::vector<T*> outputs_;               // of each layer, (N, d)
  std::vector<Place> places_;             // of each layer
  T* normal_ = nullptr;                   // (N, d)
  T* logits_ = nullptr;                   // (N, V), V padded
  T* dx_ = nullptr;                       // (N, d): gradient of the residual stream
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
                                           const Layout& layout,
                                           device::Arena& arena) {
  return std::make_unique<Transformer<T>>(spec, batch, ops, layout, arena);
}

template decltype(make_transformer<float>) make_transformer<float>;
template decltype(make_transformer<double>) make_transformer<double>;
template decltype(make_transformer<device::Bf16>) make_transformer<device::Bf16>;
template decltype(make_transformer<device::Half>) make_transformer<device::Half>;

}  // namespace scalestudy::model

#include "workloads/model/residual.h"

#include <algorithm>

#include "workloads/model/dense.h"
#include "workloads/model/layer_list.h"
#include "workloads/model/network.h"
#include "workloads/model/residual_block.h"

namespace scalestudy::model {
namespace {

// A layer without parameters.
template <typename T>
class Pooling : public Layer<T> {
 public:
  std::size_t padded_count() const override { return 0; }
  void bind(T* /*parameters*/, T* /*gradients*/) override {}
  void initialise(T* /*host*/, std::uint64_t /*seed*/, ops::Purpose /*purpose*/) const override {}
};

template <typename T>
class MaxPoolingLayer final : public Pooling<T> {
 public:
  MaxPoolingLayer(const ops::PoolingShape& shape, ops::Ops<T>& ops, device::Arena& arena)
      : shape_(shape), pooling_(ops.make_max_pooling(shape, arena)) {}

  std::size_t input_width() const override {
    return shape_.height * shape_.width * shape_.channels;
  }
  std::size_t output_width() const override {
    return shape_.output_height() * shape_.output_width() * shape_.channels;
  }

  void forward(const T* x, T* y, const Pass& /*pass*/) override { pooling_->forward(x, y); }
  void backward(
      const T* /*x*/, const T* /*y*/, T* dy, T* dx, const GradientsReady& /*ready*/) override {
    pooling_->backward(dy, dx);
  }

 private:
  ops::PoolingShape shape_;
  std::unique_ptr<ops::MaxPooling<T>> pooling_;
};

// The mean of each channel over the image.
template <typename T>
class AverageLayer final : public Pooling<T> {
 public:
  AverageLayer(std::size_t batch, std::size_t positions, std::size_t channels, ops::Ops<T>& ops)
      : batch_(batch), positions_(positions), channels_(channels), ops_(ops) {}

  std::size_t input_width() const override { return positions_ * channels_; }
  std::size_t output_width() const override { return channels_; }

  void forward(const T* x, T* y, const Pass& /*pass*/) override {
    ops_.average_positions(x, positions_, {y, batch_, channels_});
  }
  void backward(
      const T* /*x*/, const T* /*y*/, T* dy, T* dx, const GradientsReady& /*ready*/) override {
    ops_.spread_positions({dy, batch_, channels_}, positions_, dx);
  }

 private:
  std::size_t batch_;
  std::size_t positions_;
  std::size_t channels_;
  ops::Ops<T>& ops_;
};

template <typename T>
ResidualScratch<T> take_scratch(const std::vector<ResidualBlockShape>& blocks,
                                device::Arena& arena) {
  std::size_t wide = 0;
  std::size_t narrow = 0;
  std::size_t narrow_wide = 0;
  const auto keep_largest = [](std::size_t& size, const ops::ConvolutionShape& output_of) {
    size = std::max(size,
                    output_of.batch * output_of.output_height() * output_of.output_width() *
                        output_of.output_channels);
  };
  for (const ResidualBlockShape& block : blocks) {
    keep_largest(wide, block.expand);
    keep_largest(narrow, block.spatial);
    keep_largest(narrow_wide, block.reduce);
    if (block.shortcut) {
      const ops::ConvolutionShape& shape = *block.shortcut;
      wide = std::max(wide, shape.batch * shape.height * shape.width * shape.channels);
    }
  }
  return {arena.take<T>(wide), arena.take<T>(narrow), arena.take<T>(narrow_wide)};
}

}  // namespace

template <typename T>
std::unique_ptr<Model<T>> make_residual_network(const ResidualSpec& spec,
                                                std::size_t batch,
                                                ops::Ops<T>& ops,
                                                const Layout& layout,
                                                device::Arena& arena) {
  ResidualOptions options{.ghost_batches = spec.ghost_batches};
  const std::vector<ResidualBlockShape> blocks = residual_blocks(spec, batch);
  LayerList<T> layers(layout.units, blocks.size() + 2);
  layers.add_unit([&] { return make_stem<T>(residual_stem(spec, batch), options, ops, arena); });
  ++options.first_index;
  if (const auto pooling = residual_pooling(spec, batch)) {
    layers.add([&] { return std::make_unique<MaxPoolingLayer<T>>(*pooling, ops, arena); });
  }
  std::vector<ResidualBlockShape> made;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (layout.units.has(blocks.size() - i)) {
      made.push_back(blocks[i]);
    }
  }
  const ResidualScratch<T> scratch = take_scratch<T>(made, arena);
  for (const ResidualBlockShape& block : blocks) {
    layers.add_unit([&] { return make_residual_block<T>(block, options, scratch, ops, arena); });
    options.first_index += static_cast<std::uint32_t>(block.convolutions().size());
  }
  const ops::ConvolutionShape& last = blocks.back().expand;
  layers.add([&] {
    return std::make_unique<AverageLayer<T>>(
        batch, last.output_height() * last.output_width(), last.output_channels, ops);
  });
  layers.add_unit([&] {
    return make_dense<T>({.batch = batch,
                          .input_width = last.output_channels,
                          .output_width = spec.classes,
                          .has_activation = false,
                          .dropout = 0.0,
                          .layer_index = options.first_index,
                          .needs_input_gradient = true},
                         ops,
                         arena);
  });
  return std::make_unique<Network<T>>(layers.take(), batch, layout, arena);
}

template decltype(make_residual_network<float>) make_residual_network<float>;
template decltype(make_residual_network<double>) make_residual_network<double>;
template decltype(make_residual_network<device::Bf16>) make_residual_network<device::Bf16>;
template decltype(make_residual_network<device::Half>) make_residual_network<device::Half>;

}  // namespace scalestudy::model

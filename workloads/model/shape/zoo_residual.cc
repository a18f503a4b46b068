// Residual networks.
#include <algorithm>

#include "workloads/model/shape/residual_shape.h"
#include "workloads/model/shape/zoo_families.h"

namespace scalestudy::model {
namespace {

constexpr std::size_t kColours = 3;
constexpr std::size_t kExpansion = 4;

double multiply_adds(const ops::ConvolutionShape& shape) {
  return static_cast<double>(shape.output_height() * shape.output_width() * shape.kernel *
                             shape.kernel * shape.channels * shape.output_channels);
}

// Shift and scale of the normalisation, then the weights.
void append_tensors(const ops::ConvolutionShape& shape, std::vector<TensorShape>& shapes) {
  shapes.insert(shapes.end(),
                {{1, shape.output_channels},
                 {1, shape.output_channels},
                 {shape.output_channels, shape.kernel * shape.kernel * shape.channels}});
}

}  // namespace

std::vector<ops::ConvolutionShape> ResidualBlockShape::convolutions() const {
  std::vector<ops::ConvolutionShape> all = {expand, spatial, reduce};
  if (shortcut) {
    all.push_back(*shortcut);
  }
  return all;
}

ops::ConvolutionShape residual_stem(const ResidualSpec& spec, std::size_t batch) {
  return {.batch = batch,
          .height = spec.image,
          .width = spec.image,
          .channels = kColours,
          .output_channels = spec.width,
          .kernel = spec.has_large_stem ? 7U : 3U,
          .stride = spec.has_large_stem ? 2U : 1U,
          .padding = spec.has_large_stem ? 3U : 1U};
}

std::optional<ops::PoolingShape> residual_pooling(const ResidualSpec& spec, std::size_t batch) {
  if (!spec.has_large_stem) {
    return std::nullopt;
  }
  const ops::ConvolutionShape stem = residual_stem(spec, batch);
  return ops::PoolingShape{.batch = batch,
                           .height = stem.output_height(),
                           .width = stem.output_width(),
                           .channels = stem.output_channels,
                           .kernel = 3,
                           .stride = 2,
                           .padding = 1};
}

std::vector<ResidualBlockShape> residual_blocks(const ResidualSpec& spec, std::size_t batch) {
  const auto pooling = residual_pooling(spec, batch);
  std::size_t side =
      pooling ? pooling->output_height() : residual_stem(spec, batch).output_height();
  std::size_t channels = spec.width;
  std::size_t inner = spec.width;
  std::vector<ResidualBlockShape> blocks;
  for (std::size_t stage = 0; stage < spec.blocks.size(); ++stage) {
    for (std::size_t block = 0; block < spec.blocks[stage]; ++block) {
      const std::size_t stride = stage > 0 && block == 0 ? 2 : 1;
      const std::size_t outer = kExpansion * inner;
      const std::size_t output_side = (side + stride - 1) / stride;
      ResidualBlockShape shape{.reduce = {batch, side, side, channels, inner, 1, 1, 0},
                               .spatial = {batch, side, side, inner, inner, 3, stride, 1},
                               .expand = {batch, output_side, output_side, inner, outer, 1, 1, 0},
                               .shortcut = std::nullopt};
      if (stride != 1 || channels != outer) {
        shape.shortcut = {batch, side, side, channels, outer, 1, stride, 0};
      }
      blocks.push_back(shape);
      side = output_side;
      channels = outer;
    }
    inner *= 2;
  }
  return blocks;
}

std::optional<ResidualSpec> find_residual(std::string_view name, ShapeParameters& parameters) {
  ResidualSpec spec;
  if (name == "resnet50") {
    spec = {.has_large_stem = true, .image = 224, .classes = 1000};
  } else if (name != "resnet50-cifar") {
    return std::nullopt;
  }
  if (const std::size_t blocks = parameters.take("layers", 0); blocks != 0) {
    spec.blocks.assign(spec.blocks.size(), blocks);
  }
  spec.width = parameters.take("width", spec.width);
  spec.image = parameters.take("image", spec.image);
  spec.ghost_batches = parameters.take("ghost_batches", spec.ghost_batches);
  return spec;
}

SampleShape sample_shape(const ResidualSpec& spec) {
  return {.input_width = spec.image * spec.image * kColours, .output_width = spec.classes};
}

std::vector<double> flop_by_unit(const ResidualSpec& spec) {
  std::vector<ResidualBlockShape> blocks = residual_blocks(spec, 1);
  std::reverse(blocks.begin(), blocks.end());
  const std::size_t features = blocks.front().expand.output_channels;
  std::vector<double> flop = {6.0 * static_cast<double>(features * spec.classes)};
  for (const ResidualBlockShape& block : blocks) {
    flop.push_back(0.0);
    for (const ops::ConvolutionShape& shape : block.convolutions()) {
      flop.back() += 6.0 * multiply_adds(shape);
    }
  }
  flop.push_back(4.0 * multiply_adds(residual_stem(spec, 1)));
  return flop;
}

std::vector<TensorShape> tensor_shapes(const ResidualSpec& spec) {
  std::vector<ResidualBlockShape> blocks = residual_blocks(spec, 1);
  std::reverse(blocks.begin(), blocks.end());
  std::vector<TensorShape> shapes = {{1, spec.classes},
                                     {blocks.front().expand.output_channels, spec.classes}};
  for (const ResidualBlockShape& block : blocks) {
    for (const ops::ConvolutionShape& shape : block.convolutions()) {
      append_tensors(shape, shapes);
    }
  }
  append_tensors(residual_stem(spec, 1), shapes);
  return shapes;
}

}  // namespace scalestudy::model

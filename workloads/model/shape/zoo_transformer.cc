// Decoder-only language models.
#include <array>
#include <stdexcept>

#include "workloads/model/shape/zoo_families.h"

namespace scalestudy::model {
namespace {

struct Named {
  std::string_view name;
  TransformerSpec spec;
};

// Vocabularies and contexts of GPT-2 (50257, 1024) and Llama 2 (32000, 4096), of which llama-30b,
// in LLaMA alone, has its own context of 2048; gpt-6.7b and gpt-175b
// are the shapes of GPT-3 6.7B and 175B with GPT-2's vocabulary. source: Brown et al., arXiv
// 2005.14165, table 2.1; Touvron et al., arXiv 2302.13971, table 2, and arXiv 2307.09288, table 1.
constexpr std::array<Named, 8> kTransformers = {{
    {"gpt-tiny", {.layers = 4, .width = 192, .heads = 6, .vocabulary = 1024, .tokens = 128}},
    {"gpt2-124m", {.layers = 12, .width = 768, .heads = 12, .vocabulary = 50257, .tokens = 1024}},
    {"gpt2-1558m", {.layers = 48, .width = 1600, .heads = 25, .vocabulary = 50257, .tokens = 1024}},
    {"gpt-6.7b", {.layers = 32, .width = 4096, .heads = 32, .vocabulary = 50257, .tokens = 2048}},
    {"gpt-175b", {.layers = 96, .width = 12288, .heads = 96, .vocabulary = 50257, .tokens = 2048}},
    {"llama-7b", {true, 32, 4096, 32, 32000, 4096}},
    {"llama-13b", {true, 40, 5120, 40, 32000, 4096}},
    {"llama-30b", {true, 60, 6656, 52, 32000, 2048}},
}};

// Elements of the weights one token is multiplied with.
std::size_t block_weights(const TransformerSpec& spec) {
  const std::size_t inner = (spec.is_llama ? 3 : 2) * spec.width * spec.feed_forward();
  return 4 * spec.width * spec.width + inner;
}

}  // namespace

std::size_t TransformerSpec::feed_forward() const {
  if (!is_llama) {
    return 4 * width;
  }
  const std::size_t two_thirds = 8 * width / 3;
  return (two_thirds + 255) / 256 * 256;
}

std::size_t TransformerSpec::padded_vocabulary() const {
  return (vocabulary + 63) / 64 * 64;
}

std::optional<TransformerSpec> find_transformer(std::string_view name,
                                                ShapeParameters& parameters) {
  for (const Named& named : kTransformers) {
    if (name != named.name) {
      continue;
    }
    TransformerSpec spec = named.spec;
    spec.full_layers = spec.layers;
    spec.layers = parameters.take("layers", spec.layers);
    spec.width = parameters.take("width", spec.width);
    spec.heads = parameters.take("heads", spec.heads);
    spec.tokens = parameters.take("sequence", spec.tokens);
    spec.vocabulary = parameters.take("vocabulary", spec.vocabulary);
    const bool needs_even = spec.is_llama;  // rotary positions turn pairs
    if (spec.width % spec.heads != 0 || (needs_even && spec.width / spec.heads % 2 != 0)) {
      throw std::invalid_argument("model.width is " + std::to_string(spec.width) + ", which " +
                                  std::to_string(spec.heads) + " heads (model.heads) cannot share" +
                                  (needs_even ? " in even parts" : ""));
    }
    return spec;
  }
  return std::nullopt;
}

SampleShape sample_shape(const TransformerSpec& spec) {
  return {.is_tokens = true,
          .input_width = spec.tokens,
          .rows = spec.tokens,
          .output_width = spec.vocabulary};
}

std::vector<double> flop_by_unit(const TransformerSpec& spec) {
  const auto tokens = static_cast<double>(spec.tokens);
  const double attention = static_cast<double>(spec.width) * tokens;
  const double block = tokens * (6.0 * static_cast<double>(block_weights(spec)) + 12.0 * attention);
  std::vector<double> flop(spec.layers + 2, block);
  flop.front() = tokens * 6.0 * static_cast<double>(spec.vocabulary * spec.width);
  flop.back() = 0.0;  // the look-up
  return flop;
}

std::vector<TensorShape> tensor_shapes(const TransformerSpec& spec) {
  const std::size_t d = spec.width;
  const std::size_t f = spec.feed_forward();
  const std::size_t v = spec.vocabulary;
  // LLaMA's query, key and value weights are one tensor, and so are those of gate and inner layer.
  using Shapes = std::vector<TensorShape>;
  const Shapes block = spec.is_llama
                           ? Shapes{{f, d}, {d, 2 * f}, {1, d}, {d, d}, {d, 3 * d}, {1, d}}
                           : Shapes{{1, d},
                                    {f, d},
                                    {1, f},
                                    {d, f},
                                    {1, d},
                                    {1, d},
                                    {1, d},
                                    {d, d},
                                    {1, 3 * d},
                                    {d, 3 * d},
                                    {1, d},
                                    {1, d}};
  Shapes shapes = spec.is_llama ? Shapes{{d, v}, {1, d}} : Shapes{{1, d}, {1, d}};
  for (std::size_t layer = 0; layer < spec.layers; ++layer) {
    shapes.insert(shapes.end(), block.begin(), block.end());
  }
  if (!spec.is_llama) {
    shapes.push_back({spec.tokens, d});
  }
  shapes.push_back({v, d});
  return shapes;
}

}  // namespace scalestudy::model

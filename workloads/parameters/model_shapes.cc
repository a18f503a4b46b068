#include "workloads/parameters/model_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>

namespace scalestudy::protocol {
namespace {

constexpr auto kMlpParameters = std::to_array<std::string_view>({"model.layers"});
constexpr auto kTransformerParameters = std::to_array<std::string_view>(
    {"model.layers", "model.width", "model.heads", "model.sequence", "model.vocabulary"});
constexpr auto kResidualParameters = std::to_array<std::string_view>(
    {"model.layers", "model.width", "model.image", "model.ghost_batches"});
constexpr auto kRecurrentParameters =
    std::to_array<std::string_view>({"model.width", "model.sequence"});

struct Shape {
  std::string_view model;
  std::span<const std::string_view> parameters;
  std::int64_t layers;            // as layer_count() has them, with its own model.layers
  std::int64_t width = 0;         // a transformer's own
  std::int64_t heads = 0;         // likewise; 0 for other models
  bool needs_even_heads = false;  // rotary positions turn pairs
};

const auto kShapes = std::to_array<Shape>({
    {.model = "mlp-258k", .parameters = {}, .layers = 4},
    {.model = "mlp-6.9m", .parameters = {}, .layers = 6},
    {.model = "mlp-4096", .parameters = kMlpParameters, .layers = 4},
    {.model = "gpt-tiny",
     .parameters = kTransformerParameters,
     .layers = 6,
     .width = 192,
     .heads = 6},
    {.model = "gpt2-124m",
     .parameters = kTransformerParameters,
     .layers = 14,
     .width = 768,
     .heads = 12},
    {.model = "gpt2-1558m",
     .parameters = kTransformerParameters,
     .layers = 50,
     .width = 1600,
     .heads = 25},
    {.model = "gpt-6.7b",
     .parameters = kTransformerParameters,
     .layers = 34,
     .width = 4096,
     .heads = 32},
    {.model = "gpt-175b",
     .parameters = kTransformerParameters,
     .layers = 98,
     .width = 12288,
     .heads = 96},
    {.model = "llama-7b",
     .parameters = kTransformerParameters,
     .layers = 34,
     .width = 4096,
     .heads = 32,
     .needs_even_heads = true},
    {.model = "llama-13b",
     .parameters = kTransformerParameters,
     .layers = 42,
     .width = 5120,
     .heads = 40,
     .needs_even_heads = true},
    {.model = "llama-30b",
     .parameters = kTransformerParameters,
     .layers = 62,
     .width = 6656,
     .heads = 52,
     .needs_even_heads = true},
    {.model = "resnet50-cifar", .parameters = kResidualParameters, .layers = 18},
    {.model = "resnet50", .parameters = kResidualParameters, .layers = 18},
    {.model = "lstm-332k", .parameters = kRecurrentParameters, .layers = 2},
    {.model = "gru-250k", .parameters = kRecurrentParameters, .layers = 2},
});

std::string check_names(const Shape& shape, const std::map<std::string, std::string>& values) {
  for (const auto& [name, text] : values) {
    const bool is_known =
        std::find(shape.parameters.begin(), shape.parameters.end(), name) != shape.parameters.end();
    if (!name.starts_with("model.") || is_known) {
      continue;
    }
    std::string message = name + " is not a parameter of " + std::string(shape.model) + "; it has ";
    for (const std::string_view known : shape.parameters) {
      message += (known == shape.parameters.front() ? "" : ", ") + std::string(known);
    }
    return message + (shape.parameters.empty() ? "none of its shape" : "");
  }
  return "";
}

std::int64_t value_of(const std::map<std::string, std::string>& values,
                      const std::string& name,
                      std::int64_t own) {
  const auto given = values.find(name);
  if (given != values.end()) {
    std::from_chars(given->second.data(), given->second.data() + given->second.size(), own);
  }
  return own;
}

// Names the parameter that is given: the width, or else the heads.
std::string check_heads(const Shape& shape, const std::map<std::string, std::string>& values) {
  if (shape.heads == 0) {
    return "";
  }
  const std::int64_t width = value_of(values, "model.width", shape.width);
  const std::int64_t heads = value_of(values, "model.heads", shape.heads);
  const bool fits = width % heads == 0 && (!shape.needs_even_heads || width / heads % 2 == 0);
  if (fits) {
    return "";
  }
  const std::string even = shape.needs_even_heads ? " in even parts" : "";
  return values.contains("model.width")
             ? "model.width is " + std::to_string(width) + ", which " + std::to_string(heads) +
                   " heads (model.heads) cannot share" + even + "; give a multiple of " +
                   std::to_string(shape.needs_even_heads ? 2 * heads : heads)
             : "model.heads is " + std::to_string(heads) + ", which cannot share a width of " +
                   std::to_string(width) + " (model.width)" + even + "; give a divisor of " +
                   std::to_string(shape.needs_even_heads ? width / 2 : width);
}

const Shape* find_shape(std::string_view model) {
  const auto* shape = std::find_if(
      kShapes.begin(), kShapes.end(), [&](const Shape& one) { return one.model == model; });
  return shape == kShapes.end() ? nullptr : shape;
}

}  // namespace

bool has_tokens(std::string_view model) {
  const Shape* shape = find_shape(model);
  return shape != nullptr && shape->parameters.data() == kTransformerParameters.data();
}

std::int64_t layer_count(std::string_view model, const std::map<std::string, std::string>& values) {
  const Shape* shape = find_shape(model);
  if (shape == nullptr || !values.contains("model.layers")) {
    return shape == nullptr ? 0 : shape->layers;
  }
  const std::int64_t given = value_of(values, "model.layers", 0);
  if (shape->parameters.data() == kMlpParameters.data()) {
    return given + 1;
  }
  constexpr std::int64_t stages = 4;  // of a ResNet, each of as many blocks
  return shape->parameters.data() == kResidualParameters.data() ? stages * given + 2 : given + 2;
}

std::string check_model_shape(std::string_view model,
                              const std::map<std::string, std::string>& values) {
  const Shape* shape = find_shape(model);
  if (shape == nullptr) {
    return "";
  }
  const std::string wrong = check_names(*shape, values);
  return wrong.empty() ? check_heads(*shape, values) : wrong;
}

}  // namespace scalestudy::protocol

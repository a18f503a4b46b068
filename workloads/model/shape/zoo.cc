#include "workloads/model/shape/zoo.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "workloads/model/shape/padding.h"
#include "workloads/model/shape/zoo_families.h"

namespace scalestudy::model {
namespace {

// Puts the first family that knows the name into `spec`.
template <typename Shape>
bool assign(ModelSpec& spec, std::optional<Shape> found) {
  if (!found) {
    return false;
  }
  spec.shape = *std::move(found);
  return true;
}

std::vector<std::size_t> elements_of(const std::vector<TensorShape>& shapes) {
  std::vector<std::size_t> elements;
  elements.reserve(shapes.size());
  for (const TensorShape& shape : shapes) {
    elements.push_back(shape.elements());
  }
  return elements;
}

}  // namespace

std::size_t ShapeParameters::take(std::string_view name, std::size_t own) {
  known_.emplace_back(name);
  const auto given = overrides_.find(known_.back());
  return given == overrides_.end() ? own : given->second;
}

void ShapeParameters::check_all_taken(std::string_view model) const {
  for (const auto& [name, value] : overrides_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) {
      continue;
    }
    std::string message = std::string(model) + " has no model." + name + "; it has ";
    for (const std::string& known : known_) {
      message += (known == known_.front() ? "model." : ", model.") + known;
    }
    throw std::invalid_argument(message + (known_.empty() ? "no parameter of its shape" : ""));
  }
}

ModelSpec find_model(std::string_view name, const Overrides& overrides) {
  ModelSpec spec{std::string(name), {}};
  ShapeParameters parameters(overrides);
  const bool is_known = assign(spec, find_mlp(name, parameters)) ||
                        assign(spec, find_transformer(name, parameters)) ||
                        assign(spec, find_residual(name, parameters)) ||
                        assign(spec, find_recurrent(name, parameters));
  if (!is_known) {
    throw std::invalid_argument("no model is named " + spec.name);
  }
  parameters.check_all_taken(name);
  return spec;
}

std::string describe(const ModelSpec& spec) {
  const auto* transformer = std::get_if<TransformerSpec>(&spec.shape);
  if (transformer == nullptr || transformer->layers >= transformer->full_layers) {
    return spec.name;
  }
  return spec.name + ", " + std::to_string(transformer->layers) + " of " +
         std::to_string(transformer->full_layers) + " layers";
}

SampleShape sample_shape(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return sample_shape(shape); }, spec.shape);
}

std::size_t parameter_count(const ModelSpec& spec) {
  const std::vector<std::size_t> elements = tensor_elements(spec);
  return std::accumulate(elements.begin(), elements.end(), std::size_t{0});
}

double flop_per_sample(const ModelSpec& spec) {
  const std::vector<double> flop = flop_by_unit(spec);
  return std::accumulate(flop.begin(), flop.end(), 0.0);
}

std::vector<double> flop_by_unit(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return flop_by_unit(shape); }, spec.shape);
}

std::vector<TensorShape> tensor_shapes(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return tensor_shapes(shape); }, spec.shape);
}

std::vector<std::size_t> tensor_elements(const ModelSpec& spec) {
  return elements_of(tensor_shapes(spec));
}

std::vector<TensorShape> padded_shapes(const ModelSpec& spec) {
  ModelSpec padded = spec;
  if (auto* transformer = std::get_if<TransformerSpec>(&padded.shape)) {
    transformer->vocabulary = transformer->padded_vocabulary();
  }
  return tensor_shapes(padded);
}

std::vector<std::size_t> padded_elements(const ModelSpec& spec, std::size_t element_bytes) {
  std::vector<std::size_t> elements = elements_of(padded_shapes(spec));
  for (std::size_t& count : elements) {
    count = padded_count(count, element_bytes);
  }
  return elements;
}

}  // namespace scalestudy::model

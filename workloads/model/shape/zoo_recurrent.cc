// Recurrent classifiers of sequences.
#include "workloads/model/shape/zoo_families.h"

namespace scalestudy::model {
namespace {

std::size_t gates_width(const RecurrentSpec& spec) {
  return (spec.is_gru ? 3 : 4) * spec.width;
}

}  // namespace

std::optional<RecurrentSpec> find_recurrent(std::string_view name, ShapeParameters& parameters) {
  if (name != "lstm-332k" && name != "gru-250k") {
    return std::nullopt;
  }
  RecurrentSpec spec{.is_gru = name == "gru-250k"};
  spec.width = parameters.take("width", spec.width);
  spec.steps = parameters.take("sequence", spec.steps);
  return spec;
}

SampleShape sample_shape(const RecurrentSpec& spec) {
  return {.input_width = spec.steps * spec.input_width, .output_width = spec.classes};
}

std::vector<double> flop_by_unit(const RecurrentSpec& spec) {
  const auto steps = static_cast<double>(spec.steps);
  const auto of_inputs = static_cast<double>(gates_width(spec) * spec.input_width);
  const auto of_hidden = static_cast<double>(gates_width(spec) * spec.width);
  return {6.0 * static_cast<double>(spec.width * spec.classes),
          steps * (4.0 * of_inputs + 6.0 * of_hidden)};
}

std::vector<TensorShape> tensor_shapes(const RecurrentSpec& spec) {
  const std::size_t gates = gates_width(spec);
  return {{1, spec.classes},
          {spec.width, spec.classes},
          {gates, spec.input_width},
          {gates, spec.width},
          {1, gates},
          {1, gates}};
}

}  // namespace scalestudy::model

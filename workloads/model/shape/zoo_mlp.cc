// Multilayer perceptrons.
#include "workloads/model/shape/zoo_families.h"

namespace scalestudy::model {

std::optional<MlpSpec> find_mlp(std::string_view name, ShapeParameters& parameters) {
  if (name == "mlp-258k") {
    return MlpSpec{{799, 256, 128, 64, 192}, 0.2};
  }
  if (name == "mlp-6.9m") {
    return MlpSpec{{4608, 1024, 1024, 512, 512, 256, 768}, 0.3};
  }
  if (name == "mlp-4096") {
    std::vector<std::size_t> widths(1 + parameters.take("layers", 3), 4096);
    widths.push_back(2048);
    return MlpSpec{widths, 0.0};
  }
  return std::nullopt;
}

SampleShape sample_shape(const MlpSpec& spec) {
  return {.input_width = spec.widths.front(), .output_width = spec.widths.back()};
}

std::vector<double> flop_by_unit(const MlpSpec& spec) {
  std::vector<double> flop;
  for (std::size_t layer = spec.widths.size() - 1; layer > 0; --layer) {
    const auto multiply_adds = static_cast<double>(spec.widths[layer - 1] * spec.widths[layer]);
    flop.push_back((layer == 1 ? 4.0 : 6.0) * multiply_adds);
  }
  return flop;
}

std::vector<TensorShape> tensor_shapes(const MlpSpec& spec) {
  std::vector<TensorShape> shapes;
  for (std::size_t layer = spec.widths.size() - 1; layer > 0; --layer) {
    shapes.push_back({1, spec.widths[layer]});
    shapes.push_back({spec.widths[layer - 1], spec.widths[layer]});
  }
  return shapes;
}

}  // namespace scalestudy::model

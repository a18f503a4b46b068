#include "workloads/model/zoo.h"

#include <numeric>
#include <stdexcept>

namespace scalestudy::model {
namespace {

double flop_per_sample(const MlpSpec& spec) {
  double flop = 0.0;
  for (std::size_t layer = 0; layer + 1 < spec.widths.size(); ++layer) {
    const auto multiply_adds = static_cast<double>(spec.widths[layer] * spec.widths[layer + 1]);
    flop += (layer == 0 ? 4.0 : 6.0) * multiply_adds;
  }
  return flop;
}

std::vector<std::size_t> tensor_elements(const MlpSpec& spec) {
  std::vector<std::size_t> elements;
  for (std::size_t layer = spec.widths.size() - 1; layer > 0; --layer) {
    elements.push_back(spec.widths[layer]);
    elements.push_back(spec.widths[layer - 1] * spec.widths[layer]);
  }
  return elements;
}

}  // namespace

ModelSpec find_model(std::string_view name, std::size_t hidden_layers) {
  if (name == "mlp-258k") {
    return {std::string(name), MlpSpec{{799, 256, 128, 64, 192}, 0.2}};
  }
  if (name == "mlp-6.9m") {
    return {std::string(name), MlpSpec{{4608, 1024, 1024, 512, 512, 256, 768}, 0.3}};
  }
  if (name == "mlp-4096") {
    std::vector<std::size_t> widths(1 + hidden_layers, 4096);
    widths.push_back(2048);
    return {std::string(name), MlpSpec{widths, 0.0}};
  }
  throw std::invalid_argument("no model is named " + std::string(name));
}

std::size_t parameter_count(const ModelSpec& spec) {
  const std::vector<std::size_t> elements = tensor_elements(spec);
  return std::accumulate(elements.begin(), elements.end(), std::size_t{0});
}

std::size_t input_width(const ModelSpec& spec) {
  return std::get<MlpSpec>(spec.shape).widths.front();
}

std::size_t output_width(const ModelSpec& spec) {
  return std::get<MlpSpec>(spec.shape).widths.back();
}

double flop_per_sample(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return flop_per_sample(shape); }, spec.shape);
}

std::vector<std::size_t> tensor_elements(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return tensor_elements(shape); }, spec.shape);
}

}  // namespace scalestudy::model

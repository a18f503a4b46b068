// The models by name, and what follows from their shapes alone.
//
// B  samples of a step on this rank; widths are elements a sample.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scalestudy::model {

// Dense layers with bias; ReLU and dropout after each but the last.
struct MlpSpec {
  std::vector<std::size_t> widths;  // at least two: input, hidden ones, output
  double dropout = 0.0;             // probability in [0, 1)
};

struct ModelSpec {
  std::string name;
  std::variant<MlpSpec> shape;
};

// A model of the zoo. The ends of mlp-258k and mlp-6.9m are reconstructed from published parameter
// counts: with biases and no normalisation, no other pair of small ends gives these counts.
//   hidden_layers  for mlp-4096 only, >= 1.
//   throws         std::invalid_argument for another name.
ModelSpec find_model(std::string_view name, std::size_t hidden_layers);

std::size_t parameter_count(const ModelSpec& spec);

std::size_t input_width(const ModelSpec& spec);
std::size_t output_width(const ModelSpec& spec);

// Of one training step, for one sample: 2 per multiply-add forward, 4 backward, except that the
// first layer needs no gradient of its input (2). Products only: bias, activation and loss are left
// out.
double flop_per_sample(const ModelSpec& spec);

// Elements of each parameter tensor in the order gradients become ready: last layer first, of each
// layer the bias, then the weights.
std::vector<std::size_t> tensor_elements(const ModelSpec& spec);

}  // namespace scalestudy::model

// The models by name, and the numbers that follow from their shapes alone.
#pragma once

#include <cstddef>
#include <map>
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

// A decoder-only language model.
//   GPT    pre-LayerNorm blocks with biases, GELU (tanh), learned positions, output weights tied to
//          the token embedding. source: Radford et al. 2019 (GPT-2), without dropout.
//   LLaMA  pre-RMSNorm blocks without biases, SwiGLU, rotary positions, output weights of their
//          own. source: Touvron et al., arXiv 2302.13971.
struct TransformerSpec {
  bool is_llama = false;
  std::size_t layers = 1;
  std::size_t width = 1;
  std::size_t heads = 1;  // divides width
  std::size_t vocabulary = 1;
  std::size_t tokens = 1;       // of a sample, all predicted
  std::size_t full_layers = 0;  // of the named model; more than `layers`: its depth is truncated

  // Width of the block's inner layer: 4 width; LLaMA: 2/3 of that, rounded up to a multiple of 256.
  std::size_t feed_forward() const;
  // Rows of the embedding and columns of the logits: a multiple of 64, which tensor cores want. No
  // token lies in the part after `vocabulary`, and the loss does not see it.
  std::size_t padded_vocabulary() const;
};

// A residual network of bottleneck blocks over square images of three colours, channels last, with
// the stride in the 3 x 3 convolutions. source: He, Zhang, Ren, Sun, CVPR 2016, table 1, as
// torchvision builds it.
struct ResidualSpec {
  // True: 7 x 7 with stride 2 and 3 x 3 max-pooling; false: 3 x 3 with stride 1 and no pooling.
  bool has_large_stem = false;
  std::vector<std::size_t> blocks = {3, 4, 6, 3};  // of each stage
  std::size_t width = 64;                          // channels of the stem
  std::size_t image = 32;                          // pixels of a side
  std::size_t classes = 10;
  // Parts in which a batch is normalised, each with statistics of its own.
  std::size_t ghost_batches = 1;
};

// One LSTM or GRU layer with two biases and a dense layer on its last hidden state.
struct RecurrentSpec {
  bool is_gru = false;
  std::size_t input_width = 64;
  std::size_t width = 256;  // of the hidden state
  std::size_t steps = 64;   // of a sequence
  std::size_t classes = 10;
};

struct ModelSpec {
  std::string name;
  std::variant<MlpSpec, TransformerSpec, ResidualSpec, RecurrentSpec> shape;
};

// `model.*` parameters by their names without "model."; each replaces the named model's own value.
using Overrides = std::map<std::string, std::size_t>;

// A model of the zoo. The ends of mlp-258k and mlp-6.9m are reconstructed from published parameter
// counts: with biases and no normalisation, no other pair of small ends gives these counts.
//   throws  std::invalid_argument for another name, a parameter the model does not have, and an
//           impossible shape.
ModelSpec find_model(std::string_view name, const Overrides& overrides = {});

// The model's name, with a truncated depth "llama-7b, 2 of 32 layers".
std::string describe(const ModelSpec& spec);

// The sizes of one sample.
struct SampleShape {
  bool is_tokens = false;        // else values
  std::size_t input_width = 0;   // values, or tokens of a sequence
  std::size_t rows = 1;          // predictions
  std::size_t output_width = 0;  // values of a prediction, without padding of a model's output
};
SampleShape sample_shape(const ModelSpec& spec);

std::size_t parameter_count(const ModelSpec& spec);

// FLOP of a training step for one sample: 2 per multiply-add forward, 4 backward, but only 2 in
// a first layer that takes numbers, not tokens, since its input needs no gradient. Products only:
// bias, activation, normalisation, embedding look-up and loss are left out. Transformers: 6 per
// weight of a product and token (tied output weights count, they are multiplied with), and
// 12 layers * width * tokens per token for attention, all pairs counted though the causal half
// would do.
// source: Chowdhery et al., arXiv 2204.02311, appendix B.
double flop_per_sample(const ModelSpec& spec);

// flop_per_sample() by unit of the model (model.h), in their order: products with a tied table
// count for the unit that multiplies with it.
std::vector<double> flop_by_unit(const ModelSpec& spec);

// A parameter tensor as a matrix: its first dimension by all others; a vector is one row.
struct TensorShape {
  std::size_t rows;
  std::size_t columns;

  std::size_t elements() const { return rows * columns; }
};

// The shapes and elements of all parameter tensors in the order gradients become ready: last layer
// first, in each layer the bias, then the weights. Tied weights are one tensor and ready last.
std::vector<TensorShape> tensor_shapes(const ModelSpec& spec);
std::vector<std::size_t> tensor_elements(const ModelSpec& spec);
// The shapes of all parameter tensors in the flat buffers, with the padding of a vocabulary.
std::vector<TensorShape> padded_shapes(const ModelSpec& spec);

// Elements of `element_bytes` that each tensor takes in the flat buffers: with the padding of a
// vocabulary, and with zeros after it up to the next multiple of kTensorAlignmentBytes (padding.h).
std::vector<std::size_t> padded_elements(const ModelSpec& spec, std::size_t element_bytes);

}  // namespace scalestudy::model

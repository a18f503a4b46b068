#include "workloads/model/shape/zoo.h"

#include <stdexcept>

#include "tests/support/catch.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy::model;

// By hand, in * out + out over the layers: 799*256+256 + 256*128+128 + 128*64+64 + 64*192+192 =
// 258,432. The others are published counts of these models.
TEST_CASE("models have their published numbers of parameters", "[model]") {
  CHECK(parameter_count(find_model("mlp-258k")) == 258'432);
  CHECK(parameter_count(find_model("mlp-6.9m")) == 6'885'376);
  CHECK(parameter_count(find_model("mlp-4096", {{"layers", 1}})) == 25'171'968);
  CHECK(parameter_count(find_model("mlp-4096")) == 58'734'592);
}

// GPT: L (12 d^2 + 13 d) + V d + T d + 2 d; LLaMA: L (4 d^2 + 3 d f + 2 d) + 2 V d + d. By hand for
// gpt-tiny: 4 (442,368 + 2,496) + 196,608 + 24,576 + 384 = 2,001,024; the others are published
// counts of these models.
TEST_CASE("transformers have their published numbers of parameters", "[model]") {
  CHECK(parameter_count(find_model("gpt-tiny")) == 2'001'024);
  CHECK(parameter_count(find_model("gpt2-124m")) == 124'439'808);
  CHECK(parameter_count(find_model("gpt2-1558m")) == 1'557'611'200);
  CHECK(parameter_count(find_model("gpt-6.7b")) == 6'658'404'352);
  // By hand: 96 (12 x 12288^2 + 13 x 12288) + (50257 + 2048 + 2) x 12288; nothing of it is
  // allocated.
  CHECK(parameter_count(find_model("gpt-175b")) == 174'604'259'328);
  CHECK(parameter_count(find_model("llama-7b")) == 6'738'415'616);
  CHECK(parameter_count(find_model("llama-13b")) == 13'015'864'320);
  CHECK(parameter_count(find_model("llama-30b")) == 32'528'943'616);
}

// 12 tensors a block, the final norm's two, positions and the embedding: 148 of GPT-2, as PyTorch
// counts them.
TEST_CASE("the tied embedding of a transformer is one tensor and ready last", "[model]") {
  const std::vector<std::size_t> elements = tensor_elements(find_model("gpt2-124m"));

  CHECK(elements.size() == 148);
  CHECK(elements.front() == 768);
  CHECK(elements.back() == 50257 * 768);
}

// A convolution's first dimension is its output channels: 64 filters of 3 x 3 x 3, at the end.
TEST_CASE("a tensor is its first dimension by all others", "[model]") {
  const auto is = [](const TensorShape& shape, std::size_t rows, std::size_t columns) {
    return shape.rows == rows && shape.columns == columns;
  };

  CHECK(is(tensor_shapes(find_model("resnet50-cifar")).back(), 64, 27));
  CHECK(is(tensor_shapes(find_model("gpt2-124m")).back(), 50257, 768));
  CHECK(is(padded_shapes(find_model("gpt2-124m")).back(), 50304, 768));
  CHECK(is(tensor_shapes({"", MlpSpec{{5, 3, 2}, 0.0}}).at(1), 3, 2));
  CHECK(is(tensor_shapes({"", MlpSpec{{5, 3, 2}, 0.0}}).at(2), 1, 3));
}

// By hand for gpt-tiny: weights of products 4 * 12 * 192^2 + 1024 * 192 = 1,966,080; a token
// 6 * 1,966,080 + 12 * 4 * 192 * 128 = 12,976,128 flop; 128 tokens a sample.
TEST_CASE("flop of a transformer count products with weights and attention", "[model]") {
  CHECK(flop_per_sample(find_model("gpt-tiny")) == 128 * 12'976'128.0);
  // 6 * (32 * (4 * 4096^2 + 3 * 4096 * 11008) + 32000 * 4096) + 12 * 32 * 4096 * 4096
  CHECK(flop_per_sample(find_model("llama-7b")) == 4096 * 46'084'915'200.0);
  // 6 * (L * 12 d^2 + 50257 d) + 12 L d T a token, with L, d, T of each.
  CHECK(flop_per_sample(find_model("gpt2-124m")) == 1024 * 854'438'400.0);
  CHECK(flop_per_sample(find_model("gpt2-1558m")) == 1024 * 10'273'545'600.0);
  CHECK(flop_per_sample(find_model("gpt-6.7b")) == 2048 * 43'111'047'168.0);
  CHECK(flop_per_sample(find_model("gpt-175b")) == 2048 * 1'076'373'430'272.0);
  // 6 * (40 * (4 * 5120^2 + 3 * 5120 * 13824) + 32000 * 5120) + 12 * 40 * 5120 * 4096
  CHECK(flop_per_sample(find_model("llama-13b")) == 4096 * 87'175'987'200.0);
  // 6 * (60 * (4 * 6656^2 + 3 * 6656 * 17920) + 32000 * 6656) + 12 * 60 * 6656 * 2048
  CHECK(flop_per_sample(find_model("llama-30b")) == 2048 * 203'705'548'800.0);
}

TEST_CASE("parameters of the shape replace a named model's own", "[model]") {
  const auto shape = std::get<TransformerSpec>(
      find_model("gpt-tiny",
                 {{"layers", 2}, {"width", 64}, {"heads", 4}, {"sequence", 16}, {"vocabulary", 8}})
          .shape);

  CHECK(shape.layers == 2);
  CHECK(shape.width == 64);
  CHECK(shape.heads == 4);
  CHECK(shape.tokens == 16);
  CHECK(shape.vocabulary == 8);
  CHECK(shape.feed_forward() == 256);
}

TEST_CASE("a parameter that a model does not have is refused with those it has", "[model]") {
  CHECK_THROWS_WITH(find_model("mlp-4096", {{"heads", 2}}),
                    "mlp-4096 has no model.heads; it has model.layers");
  CHECK_THROWS_WITH(find_model("mlp-258k", {{"layers", 2}}),
                    "mlp-258k has no model.layers; it has no parameter of its shape");
}

TEST_CASE("a width that the heads cannot share is refused", "[model]") {
  CHECK_THROWS_WITH(find_model("gpt-tiny", {{"heads", 5}}),
                    Catch::Contains("model.width is 192, which 5 heads"));
  CHECK_THROWS_WITH(find_model("llama-7b", {{"width", 96}}), Catch::Contains("in even parts"));
}

TEST_CASE("a truncated depth is part of a model's description", "[model]") {
  CHECK(describe(find_model("llama-7b", {{"layers", 2}})) == "llama-7b, 2 of 32 layers");
  CHECK(describe(find_model("llama-7b")) == "llama-7b");
  CHECK(describe(find_model("mlp-4096", {{"layers", 1}})) == "mlp-4096");
}

// By hand for mlp-258k: multiply-adds 799*256 + 256*128 + 128*64 + 64*192 = 257,792; six flop each
// is 1,546,752, less 2 * 799*256 = 409,088 for the gradient of the input that is not computed.
TEST_CASE("flop per sample leave out the gradient of the input", "[model]") {
  CHECK(flop_per_sample(find_model("mlp-258k")) == 1'137'664.0);
  // 6 * 6,881,280 - 2 * 4608 * 1024
  CHECK(flop_per_sample(find_model("mlp-6.9m")) == 31'850'496.0);
  // 6 * (4096 * 4096 + 4096 * 2048) - 2 * 4096 * 4096
  CHECK(flop_per_sample(find_model("mlp-4096", {{"layers", 1}})) == 117'440'512.0);
  // 6 * (3 * 4096 * 4096 + 4096 * 2048) - 2 * 4096 * 4096
  CHECK(flop_per_sample(find_model("mlp-4096")) == 318'767'104.0);
}

TEST_CASE("gradients become ready from the last layer, bias before weights", "[model]") {
  const std::vector<std::size_t> elements = tensor_elements({"", MlpSpec{{5, 3, 2}, 0.0}});

  CHECK(elements == std::vector<std::size_t>{2, 6, 3, 15});
}

TEST_CASE("the help of the parameter model tells layers and dropout", "[model]") {
  const std::string help(scalestudy::protocol::find_parameter("train", "model")->help);
  for (const char* name : {"mlp-258k", "mlp-6.9m", "mlp-4096"}) {
    const auto mlp = std::get<MlpSpec>(find_model(name).shape);
    std::string layers;
    for (const std::size_t width : mlp.widths) {
      layers += (layers.empty() ? "" : "-") + std::to_string(width);
    }
    const std::string dropout = std::to_string(mlp.dropout).substr(0, 3);  // 0.2 of 0.200000
    const std::string end = mlp.dropout > 0.0 ? ", dropout " + dropout : "";
    CHECK_THAT(help, Catch::Contains(name + (": layers " + layers) + end + "."));
  }
  const auto gpt = std::get<TransformerSpec>(find_model("gpt-tiny").shape);
  CHECK_THAT(help,
             Catch::Contains("gpt-tiny: " + std::to_string(gpt.layers) + " blocks of width " +
                             std::to_string(gpt.width) + " and " + std::to_string(gpt.heads) +
                             " heads, " + std::to_string(gpt.tokens) + " tokens of " +
                             std::to_string(gpt.vocabulary) + "."));
  const auto lstm = std::get<RecurrentSpec>(find_model("lstm-332k").shape);
  CHECK_THAT(help,
             Catch::Contains("lstm-332k, gru-250k: width " + std::to_string(lstm.width) + ", " +
                             std::to_string(lstm.steps) + " steps of " +
                             std::to_string(lstm.input_width) + " values."));
}

TEST_CASE("dropout probabilities are those of the models", "[model]") {
  CHECK(std::get<MlpSpec>(find_model("mlp-258k").shape).dropout == 0.2);
  CHECK(std::get<MlpSpec>(find_model("mlp-6.9m").shape).dropout == 0.3);
  CHECK(std::get<MlpSpec>(find_model("mlp-4096").shape).dropout == 0.0);
}

TEST_CASE("a model outside the zoo is refused", "[model]") {
  CHECK_THROWS_AS(find_model("perceptron"), std::invalid_argument);
}

// What PyTorch 1.13.1 counts for torchvision's layers, put together by hand: parameters, tensors,
// and multiply-adds of convolutions and the dense layer of one image.
TEST_CASE("residual networks have the sizes PyTorch counts", "[model]") {
  const ModelSpec small = find_model("resnet50-cifar");
  const ModelSpec large = find_model("resnet50");

  CHECK(parameter_count(small) == 23'520'842);
  CHECK(parameter_count(large) == 25'557'032);
  CHECK(tensor_elements(small).size() == 161);
  // 6 flop each, less 2 for the stem, whose input needs no gradient: 3*3*3*64 products a position,
  // 7*7*3*64 in the large one.
  CHECK(flop_per_sample(small) == 6.0 * 1'297'829'888 - 2.0 * 32 * 32 * 27 * 64);
  CHECK(flop_per_sample(large) == 6.0 * 4'089'184'256 - 2.0 * 112 * 112 * 147 * 64);
}

TEST_CASE("a residual network is ready from its classifier to its stem", "[model]") {
  const std::vector<std::size_t> elements = tensor_elements(find_model("resnet50-cifar"));

  // Classifier; shift, scale and weights of the last expanding convolution.
  CHECK(std::vector(elements.begin(), elements.begin() + 5) ==
        std::vector<std::size_t>{10, 2048 * 10, 2048, 2048, 2048 * 512});
  CHECK(std::vector(elements.end() - 3, elements.end()) ==
        std::vector<std::size_t>{64, 64, 64 * 27});
}

TEST_CASE("width, depth and image of a residual network can be replaced", "[model]") {
  const auto shape = std::get<ResidualSpec>(
      find_model("resnet50-cifar",
                 {{"layers", 1}, {"width", 4}, {"image", 8}, {"ghost_batches", 2}})
          .shape);

  CHECK(shape.blocks == std::vector<std::size_t>{1, 1, 1, 1});
  CHECK(shape.width == 4);
  CHECK(shape.ghost_batches == 2);
  CHECK(sample_shape({"", shape}).input_width == 8 * 8 * 3);
}

// LSTM: 4 h (d + h + 2) + 10 h + 10 with d = 64, h = 256: 329,728 + 2,570; GRU 3 h: 247,296 +
// 2,570. Products of a step 4*256*(64+256), of a sample 64 steps and 2,560.
TEST_CASE("recurrent networks have their published sizes", "[model]") {
  CHECK(parameter_count(find_model("lstm-332k")) == 332'298);
  CHECK(parameter_count(find_model("gru-250k")) == 249'866);
  CHECK(flop_per_sample(find_model("lstm-332k")) ==
        6.0 * (64 * 4 * 256 * 320 + 2560) - 2.0 * 64 * 4 * 256 * 64);
  CHECK(flop_per_sample(find_model("gru-250k")) ==
        6.0 * (64 * 3 * 256 * 320 + 2560) - 2.0 * 64 * 3 * 256 * 64);
  CHECK(flop_per_sample(find_model("gru-250k", {{"width", 128}, {"sequence", 2}})) ==
        6.0 * (2 * 3 * 128 * 192 + 1280) - 2.0 * 2 * 3 * 128 * 64);
}

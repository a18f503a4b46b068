#include "workloads/model/zoo.h"

#include <stdexcept>

#include "tests/support/catch.h"

using namespace scalestudy::model;

// By hand, in * out + out over the layers: 799*256+256 + 256*128+128 + 128*64+64 + 64*192+192 =
// 258,432. The others are published counts of these models.
TEST_CASE("models have their published numbers of parameters", "[model]") {
  CHECK(parameter_count(find_model("mlp-258k", 0)) == 258'432);
  CHECK(parameter_count(find_model("mlp-6.9m", 0)) == 6'885'376);
  CHECK(parameter_count(find_model("mlp-4096", 1)) == 25'171'968);
  CHECK(parameter_count(find_model("mlp-4096", 3)) == 58'734'592);
}

// By hand for mlp-258k: multiply-adds 799*256 + 256*128 + 128*64 + 64*192 = 257,792; six flop each
// is 1,546,752, less 2 * 799*256 = 409,088 for the gradient of the input that is not computed.
TEST_CASE("flop per sample leave out the gradient of the input", "[model]") {
  CHECK(flop_per_sample(find_model("mlp-258k", 0)) == 1'137'664.0);
  // 6 * 6,881,280 - 2 * 4608 * 1024
  CHECK(flop_per_sample(find_model("mlp-6.9m", 0)) == 31'850'496.0);
  // 6 * (4096 * 4096 + 4096 * 2048) - 2 * 4096 * 4096
  CHECK(flop_per_sample(find_model("mlp-4096", 1)) == 117'440'512.0);
}

TEST_CASE("gradients become ready from the last layer, bias before weights", "[model]") {
  const std::vector<std::size_t> elements = tensor_elements({"", MlpSpec{{5, 3, 2}, 0.0}});

  CHECK(elements == std::vector<std::size_t>{2, 6, 3, 15});
}

TEST_CASE("dropout probabilities are those of the models", "[model]") {
  CHECK(std::get<MlpSpec>(find_model("mlp-258k", 0).shape).dropout == 0.2);
  CHECK(std::get<MlpSpec>(find_model("mlp-6.9m", 0).shape).dropout == 0.3);
  CHECK(std::get<MlpSpec>(find_model("mlp-4096", 2).shape).dropout == 0.0);
}

TEST_CASE("a model outside the zoo is refused", "[model]") {
  CHECK_THROWS_AS(find_model("resnet", 1), std::invalid_argument);
}

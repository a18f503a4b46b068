#include "workloads/sync/buckets.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/model/shape/zoo.h"

using namespace scalestudy;

namespace {

constexpr double kMebibyte = 1048576.0;

// The buckets PyTorch's defaults make of a model's fp32 gradients.
std::vector<sync::Bucket> fp32_buckets(const std::string& model,
                                       const model::Overrides& overrides) {
  std::vector<std::size_t> bytes = model::tensor_elements(model::find_model(model, overrides));
  for (std::size_t& size : bytes) {
    size *= sizeof(float);
  }
  return sync::make_buckets(bytes, kMebibyte, 25.0 * kMebibyte);
}

// Their sizes in MiB.
std::vector<double> default_buckets(const std::string& model,
                                    const model::Overrides& overrides = {}) {
  std::vector<double> sizes;
  for (const sync::Bucket& bucket : fp32_buckets(model, overrides)) {
    sizes.push_back(static_cast<double>(bucket.size_bytes) / kMebibyte);
  }
  return sizes;
}

void check_sizes(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i] == Approx(expected[i]).margin(0.005));
  }
}

}  // namespace

// Expected: enumerated independently with PyTorch's rule and rounded to 0.01 MiB; for mlp-4096 the
// bias of 4096 or 2048 elements adds 0.02 or 0.01 MiB to the 64 or 32 MiB of its weights.
TEST_CASE("the bucket rule makes PyTorch's buckets of the zoo's models", "[sync]") {
  check_sizes(default_buckets("mlp-258k"), {0.99});
  check_sizes(default_buckets("mlp-6.9m"), {1.25, 25.01});
  check_sizes(default_buckets("mlp-4096", {{"layers", 1}}), {32.01, 64.02});
  check_sizes(default_buckets("mlp-4096"), {32.01, 64.02, 64.02, 64.02});
  check_sizes(default_buckets("gpt-tiny"), {1.13, 6.50});
  check_sizes(default_buckets("gru-250k"), {0.95});
  std::vector<double> gpt2(13, 27.04);
  gpt2.front() = 9.01;
  gpt2.back() = 168.27;  // the tied embedding
  check_sizes(default_buckets("gpt2-124m"), gpt2);
}

// Enumerated like the others, with tensors in this program's order where PyTorch's is another: the
// shortcut of a residual block is ready after its convolutions (PyTorch: before, 25.04, 25.32 and
// 9.24 MiB at the end); all of an LSTM is ready at once, weights before biases (PyTorch: after,
// 1.02 and 0.25).
TEST_CASE("the bucket rule goes by the order in which gradients are ready", "[sync]") {
  check_sizes(default_buckets("resnet50-cifar"), {4.09, 26.03, 27.04, 25.07, 7.49});
  check_sizes(default_buckets("resnet50"), {7.82, 30.04, 27.04, 25.07, 7.52});
  check_sizes(default_buckets("lstm-332k"), {1.26, 0.01});
}

// 4 bytes for each of the published parameters.
TEST_CASE("buckets hold every byte of the gradients once", "[sync]") {
  const auto [model, bytes] = GENERATE(table<std::string, std::size_t>({
      {"mlp-258k", 1'033'728},
      {"mlp-6.9m", 27'541'504},
      {"mlp-4096", 234'938'368},
      {"lstm-332k", 1'329'192},
      {"gru-250k", 999'464},
      {"resnet50-cifar", 94'083'368},
      {"resnet50", 102'228'128},
      {"gpt-tiny", 8'004'096},
      {"gpt2-124m", 497'759'232},
      {"gpt2-1558m", 6'230'444'800},
      {"gpt-6.7b", 26'633'617'408},
      {"gpt-175b", 698'417'037'312},
      {"llama-7b", 26'953'662'464},
      {"llama-13b", 52'063'457'280},
      {"llama-30b", 130'115'774'464},
  }));

  std::size_t end = 0;
  for (const sync::Bucket& bucket : fp32_buckets(model, {})) {
    CHECK(bucket.offset_bytes == end);
    end += bucket.size_bytes;
  }

  CHECK(end == bytes);
}

TEST_CASE("padding moves no tensor to another bucket than PyTorch's", "[sync]") {
  const std::string model = GENERATE("mlp-258k",
                                     "mlp-6.9m",
                                     "mlp-4096",
                                     "lstm-332k",
                                     "gru-250k",
                                     "resnet50-cifar",
                                     "resnet50",
                                     "gpt-tiny",
                                     "gpt2-124m",
                                     "gpt2-1558m",
                                     "gpt-6.7b",
                                     "gpt-175b",
                                     "llama-7b",
                                     "llama-13b",
                                     "llama-30b");
  CAPTURE(model);
  std::vector<std::size_t> bytes = model::padded_elements(model::find_model(model), sizeof(float));
  for (std::size_t& size : bytes) {
    size *= sizeof(float);
  }

  const std::vector<sync::Bucket> plain = fp32_buckets(model, {});
  const std::vector<sync::Bucket> padded = sync::make_buckets(bytes, kMebibyte, 25.0 * kMebibyte);

  REQUIRE(padded.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(padded[i].tensor_count == plain[i].tensor_count);
    CHECK(padded[i].offset_bytes % 128 == 0);
  }
}

TEST_CASE("a bucket closes at its limit and may exceed it", "[sync]") {
  const std::vector<std::size_t> tensors = {4, 6, 7, 20, 3};

  const std::vector<sync::Bucket> buckets = sync::make_buckets(tensors, 10.0, 20.0);

  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].size_bytes == 10);  // 4 + 6 reaches 10 exactly
  CHECK(buckets[1].size_bytes == 27);  // 7 is below 20, 7 + 20 is not
  CHECK(buckets[1].tensor_count == 2);
  CHECK(buckets[2].size_bytes == 3);  // what is left
  CHECK(buckets[2].offset_bytes == 37);
}

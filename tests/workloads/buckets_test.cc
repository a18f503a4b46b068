#include "workloads/sync/buckets.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/model/zoo.h"

using namespace scalestudy;

namespace {

constexpr double kMebibyte = 1048576.0;

// Sizes in MiB of the buckets PyTorch's defaults make of a model's fp32 gradients.
std::vector<double> default_buckets(const std::string& model,
                                    const model::Overrides& overrides = {}) {
  std::vector<std::size_t> bytes = model::tensor_elements(model::find_model(model, overrides));
  for (std::size_t& size : bytes) {
    size *= sizeof(float);
  }
  std::vector<double> sizes;
  for (const sync::Bucket& bucket : sync::make_buckets(bytes, kMebibyte, 25.0 * kMebibyte)) {
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

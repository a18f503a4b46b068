// The largest models that fit, against every number of layers.
#include "workloads/train/memory/largest_model.h"

#include <map>

#include "tests/support/catch.h"
#include "workloads/train/memory/memory.h"

using namespace scalestudy;

namespace {

train::Texts texts_of(const std::string& strategy) {
  return train::merge({},
                      {{"model", "gpt-tiny"},
                       {"model.width", "16"},
                       {"model.heads", "2"},
                       {"model.sequence", "8"},
                       {"model.vocabulary", "16"},
                       {"optimizer", "adamw"},
                       {"batch_per_device", "3"},
                       {"strategy", strategy}});
}

// By number of layers.
std::map<std::size_t, std::size_t> memory_of_all(const std::string& strategy, int ranks) {
  std::map<std::size_t, std::size_t> bytes;
  for (std::size_t layers = 1; layers <= 64; ++layers) {
    train::Texts texts = texts_of(strategy);
    texts["model.layers"] = std::to_string(layers);
    const train::Options options = train::make_options(train::complete(texts, ranks));
    bytes[layers] = train::estimate_memory(train::of_largest_rank(options)).total();
  }
  return bytes;
}

}  // namespace

// Of three stages the largest has a block more for each third layer: memory grows in leaps.
TEST_CASE("no model of more layers fits than the largest one", "[train]") {
  constexpr int ranks = 3;
  for (const std::string strategy : {"ddp", "zero2", "pipeline"}) {
    const std::map<std::size_t, std::size_t> all = memory_of_all(strategy, ranks);
    CAPTURE(strategy);
    for (const std::size_t at : {1, 20, 58, 64}) {
      CAPTURE(at);
      for (const double more : {-1.0, 0.0}) {  // byte
        const double bytes = static_cast<double>(all.at(at)) + more;
        std::size_t expected = 0;
        for (const auto& [layers, needed] : all) {
          expected = static_cast<double>(needed) <= bytes ? layers : expected;
        }
        const auto models = train::largest_models(texts_of("ddp"), ranks, bytes);
        const auto model = std::ranges::find(models, strategy, &train::LargestModel::name);
        REQUIRE(model != models.end());
        CHECK(model->layers == expected);
        CHECK(model->memory_bytes == (expected == 0 ? 0 : all.at(expected)));
      }
    }
  }
}

// Five layers of 4096 on three stages: the middle one takes the most of a GPU and reads nothing.
// The first reads ahead: two batches of 6 samples of 4096 values in fp32, and a batch as the file
// has it, a byte a value.
TEST_CASE("of stages the one that pins most of the host's memory need not take most of a GPU's",
          "[train]") {
  const train::Texts texts = train::merge({},
                                          {{"model", "mlp-4096"},
                                           {"model.layers", "5"},
                                           {"batch_global", "6"},
                                           {"strategy", "pipeline"},
                                           {"backend", "cuda"},
                                           {"comm", "nccl"},
                                           {"data", "file"},
                                           {"data_prefetch", "1"}});
  const train::Options options = train::make_options(train::complete(texts, 3));

  REQUIRE(train::of_largest_rank(options).pipeline.stage == 1);
  CHECK(train::estimate_memory(train::of_largest_rank(options)).host == 0);
  const std::size_t first = 2 * 6 * 4096 * 4 + 6 * 4096;
  CHECK(train::most_host_bytes(options) == first);
  // The last has two batches of 6 labels of 4 bytes, and as many of its 2048 classes as the file
  // has them, of 2 bytes. Where not all stages are on a machine, each may be the first.
  CHECK(train::pinned_bytes(options, 3) == first + 2 * 6 * 4 + 6 * 2);
  CHECK(train::pinned_bytes(options, 2) == 2 * first);
}

// Activation checkpointing: the same bits in less memory.
#include "tests/support/catch.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;

namespace {

constexpr int kFiveLayers = 5;

// Each of the trainings, in one launch.
std::vector<std::vector<Probe>> train_each_saving(int ranks,
                                                  const std::string& model,
                                                  const std::vector<Flags>& trainings) {
  std::vector<Flags> flags;
  for (const Flags& more : trainings) {
    flags.push_back(test::with({"--model=" + model,
                                "--model-layers=" + std::to_string(kFiveLayers),
                                "--model-width=32",
                                "--model-heads=2",
                                "--model-sequence=16",
                                "--model-vocabulary=16",
                                "--batch-global=8",
                                "--measured-steps=4"},
                               more));
  }
  return test::train_each(ranks, {"-", "-"}, flags);
}

}  // namespace

TEST_CASE("activations that are computed again leave every bit as it was", "[train]") {
  const std::string model = GENERATE("gpt-tiny", "llama-7b");
  const int ranks = GENERATE(1, 2, 4);

  // Segments of five, of three and two, and of one: the fewer blocks are kept, the less memory.
  const Flags every = {"5", "3", "2", "1"};
  std::vector<Flags> trainings = {{}};
  for (const std::string& blocks : every) {
    trainings.push_back({"--checkpoint-every=" + blocks});
  }
  const std::vector<std::vector<Probe>> ends = train_each_saving(ranks, model, trainings);

  const Probe& plain = ends.front().front();
  double memory = plain.peak_bytes;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    CAPTURE(model, ranks, every[i - 1]);
    const Probe& probe = ends[i].front();
    CHECK(probe.parameters == plain.parameters);
    CHECK(probe.losses == plain.losses);
    CHECK(probe.peak_bytes == probe.estimate_bytes);
    CHECK((i == 1 ? probe.peak_bytes == memory : probe.peak_bytes < memory));
    memory = probe.peak_bytes;
  }
}

// By hand, of GPT in fp32 with N = 4 * 16 rows of 32: besides its output a block keeps two normals,
// qkv (3), attended, middle, hidden (4) and inner (4), each N * 32; what its normalisations and its
// attention keep comes on top.
TEST_CASE("checkpointing every block keeps one block's activations and all their inputs",
          "[train]") {
  const auto ends =
      train_each_saving(2, "gpt-tiny", {{}, {"--checkpoint-every=1"}, {"--checkpoint-every=3"}});
  const double plain = ends[0].front().peak_bytes;
  const double one = ends[1].front().peak_bytes;
  const double three = ends[2].front().peak_bytes;

  const double width = 4.0 * 4 * 16 * 32;
  const double block = (plain - one) / (kFiveLayers - 1);
  CHECK(block >= 15.0 * width);
  CHECK(block <= 20.0 * width);
  // Outputs that segments of three blocks share: of layers 3 and 4 one, the other ends the last.
  CHECK(plain - three == Approx(2.0 * block + 1.0 * width).epsilon(1e-9));
}

TEST_CASE("a sharded model computes activations again as a whole one does", "[train]") {
  const auto [strategy, every] = GENERATE(table<std::string, std::string>(
      {{"zero1", "2"}, {"zero2", "2"}, {"zero2", "1"}, {"fsdp", "1"}}));
  const std::string overlap = GENERATE("none", "thread");
  const Flags flags = {"--precision=fp64", "--strategy=" + strategy, "--overlap=" + overlap};
  CAPTURE(strategy, every, overlap);

  const auto ends =
      train_each_saving(2, "gpt-tiny", {flags, test::with(flags, {"--checkpoint-every=" + every})});

  const Probe& plain = ends[0].front();
  const Probe& probe = ends[1].front();

  CHECK(probe.parameters == plain.parameters);
  CHECK(probe.traffic == plain.traffic);
  CHECK(probe.allocations == 0);
  CHECK(probe.peak_bytes < plain.peak_bytes);
  CHECK(probe.peak_bytes == probe.estimate_bytes);
}

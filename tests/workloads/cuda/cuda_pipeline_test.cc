// Stages of one model on GPUs, which are one that they share where there are no more: against one
// CPU core with all of the model.
#include "tests/support/catch.h"
#include "tests/workloads/gpu_programs.h"

using namespace scalestudy;
using test::Flags;
using test::joined;
using test::Probe;
using test::stage_parameters;

namespace {

// Four layers, with dropout.
const Flags kLayers = {"24,40,17,12,8", "0.2"};

// A GPT model. Its table has rows for 16 words, padded to 64, of width 32.
Flags gpt(const std::string& layers, const std::string& sequence) {
  return {"-",
          "-",
          "--model=gpt-tiny",
          "--model-layers=" + layers,
          "--model-width=32",
          "--model-heads=2",
          "--model-sequence=" + sequence,
          "--model-vocabulary=16"};
}
constexpr std::ptrdiff_t kTable = std::ptrdiff_t{64} * 32;  // floats

}  // namespace

TEST_CASE("stages on GPUs end with the parameters and losses of one CPU core", "[gpu][slow]") {
  test::require_gpu_and_mpirun();
  const std::string comm = GENERATE("nccl", "mpi_staged");
  const auto [stages, model, parts] =
      GENERATE(table<int, Flags, std::string>({{2, kLayers, "1"},
                                               {2, kLayers, "8"},
                                               {3, kLayers, "4"},
                                               {4, kLayers, "8"},
                                               {2,
                                                {"-",
                                                 "-",
                                                 "--model=lstm-332k",
                                                 "--model-width=32",
                                                 "--model-sequence=8",
                                                 "--batch-global=12"},
                                                "4"},
                                               {3,
                                                {"-",
                                                 "-",
                                                 "--model=resnet50-cifar",
                                                 "--model-width=8",
                                                 "--model-layers=1",
                                                 "--model-image=16",
                                                 "--batch-global=12"},
                                                "2"},
                                               {3,
                                                {"-",
                                                 "-",
                                                 "--model=llama-7b",
                                                 "--model-layers=2",
                                                 "--model-width=32",
                                                 "--model-heads=2",
                                                 "--model-sequence=8",
                                                 "--model-vocabulary=16",
                                                 "--batch-global=12"},
                                                "4"}}));
  CAPTURE(comm, stages, model, parts);
  const Flags network = joined(model, {"--accumulation-steps=" + parts});
  const Probe one = test::train_three_steps(1, network, {}, false).front();

  const std::vector<Probe> probes =
      test::train_three_steps(stages, network, {"--strategy=pipeline", "--comm=" + comm});

  CHECK(test::relative_difference(stage_parameters(probes), one.parameters) <= 1e-5);
  CHECK(test::relative_difference(probes.back().losses, one.losses) <= 1e-4);
  CHECK(probes.front().losses == std::vector<double>(3, 0.0));
  for (const Probe& probe : probes) {
    for (const char* part : {"parameters", "gradients", "optimizer", "buffers", "data"}) {
      CHECK(probe.memory.at(part) == probe.calculated.at(part));
    }
  }
}

TEST_CASE("stages of a GPT model on GPUs end as one CPU core, with equal tables", "[gpu][slow]") {
  test::require_gpu_and_mpirun();
  const auto [comm, stages, more] = GENERATE(table<std::string, int, Flags>(
      {{"mpi_staged", 2, {"--accumulation-steps=4"}},
       {"nccl", 3, {"--accumulation-steps=1"}},
       {"nccl", 2, {"--accumulation-steps=4", "--clip-norm=0.05"}}}));
  CAPTURE(comm, stages, more);
  const Flags network = joined(gpt("2", "8"), joined({"--batch-global=12"}, more));
  const Probe one = test::train_three_steps(1, network, {}, false).front();

  std::vector<Probe> probes =
      test::train_three_steps(stages, network, {"--strategy=pipeline", "--comm=" + comm});

  CHECK(test::take_table_copy(probes, kTable) == test::table_of(probes, kTable));
  CHECK(test::relative_difference(stage_parameters(probes), one.parameters) <= 1e-5);
  CHECK(test::relative_difference(probes.back().losses, one.losses) <= 1e-4);
  for (const Probe& probe : probes) {
    CHECK(probe.memory.at("buffers") == probe.calculated.at("buffers"));
  }
}

TEST_CASE("stages on GPUs end as one CPU core with what else a step does", "[gpu]") {
  test::require_gpu_and_mpirun();
  const std::string comm = GENERATE("nccl", "mpi_staged");
  const auto more = GENERATE(Flags{"--optimizer=adamw", "--weight-decay=0.1"},
                             Flags{"--clip-norm=0.05"},
                             Flags{"--timing=light"},
                             Flags{"--straggler-rank=0", "--straggler-ms=2"});
  CAPTURE(comm, more);
  const Flags flags = joined(more, {"--accumulation-steps=4"});
  const std::vector<double> one =
      test::train_three_steps(1, kLayers, flags, false).front().parameters;

  const std::vector<Probe> probes =
      test::train_three_steps(3, kLayers, joined(flags, {"--strategy=pipeline", "--comm=" + comm}));

  CHECK(test::relative_difference(stage_parameters(probes), one) <= 1e-5);
}

TEST_CASE("what is compared has moved, and clipping counts on GPUs", "[gpu]") {
  test::require_gpu_and_mpirun();
  const auto run = [](const std::string& flag) {
    return stage_parameters(test::train_three_steps(
        2, kLayers, {"--strategy=pipeline", "--accumulation-steps=4", flag}));
  };
  const std::vector<double> plain = run("--seed=1");

  CHECK(test::relative_difference(run("--learning-rate=0"), plain) > 1e-3);
  CHECK(test::relative_difference(run("--clip-norm=0.05"), plain) > 1e-5);
}

// Of 40 samples a step of 24 makes an epoch; slots of one batch or two are filled again.
TEST_CASE("stages on GPUs train on the samples of a file as one CPU core does", "[gpu][slow]") {
  test::require_gpu_and_mpirun();
  const Flags images = {
      "-", "-", "--model=resnet50-cifar", "--model-width=8", "--model-layers=1", "--model-image=8"};
  const Flags text = gpt("1", "4");
  const auto [stages, model, comm, depth] =
      GENERATE_COPY(table<int, Flags, std::string, std::string>({{2, kLayers, "nccl", "0"},
                                                                 {3, kLayers, "mpi_staged", "2"},
                                                                 {3, images, "nccl", "1"},
                                                                 {3, text, "mpi_staged", "1"}}));
  CAPTURE(stages, model, comm, depth);
  const Flags network =
      joined(model, {"--data=file", "--data-samples=40", "--accumulation-steps=4"});
  const Probe one = test::train_three_steps(1, network, {}, false).front();

  std::vector<Probe> probes = test::train_three_steps(
      stages, network, {"--strategy=pipeline", "--comm=" + comm, "--data-prefetch=" + depth});

  CHECK(test::relative_difference(probes.back().losses, one.losses) <= 1e-4);
  if (model == text) {
    CHECK(test::take_table_copy(probes, kTable) == test::table_of(probes, kTable));
  }
  CHECK(test::relative_difference(stage_parameters(probes), one.parameters) <= 1e-5);
  for (const Probe& probe : probes) {
    CHECK(probe.memory.at("data") == probe.calculated.at("data"));
    CHECK(probe.memory.at("host") == probe.calculated.at("host"));
  }
}

// By hand: three batches of 24 in pinned memory, of which the first stage has 24 values of 4 bytes,
// and reads as many bytes; the last a label of 4 bytes, and reads one.
TEST_CASE("the host keeps for each end of a pipeline on GPUs what it reads", "[gpu]") {
  test::require_gpu_and_mpirun();
  const std::vector<Probe> probes = test::train_three_steps(
      3, kLayers, {"--strategy=pipeline", "--data=file", "--data-samples=40", "--data-prefetch=2"});

  CHECK(probes[0].memory.at("host") == 3 * 24 * 24 * 4 + 24 * 24);
  CHECK(probes[1].memory.at("host") == 0);
  CHECK(probes[2].memory.at("host") == 3 * 24 * 4 + 24);
}

// Activations and their gradients are in 16 bits on one GPU too.
TEST_CASE("stages in bf16 end where one GPU does, with or without its optimizer's state", "[gpu]") {
  test::require_gpu_and_mpirun();
  const auto* offload = GENERATE("--offload=none", "--offload=optimizer");
  const Flags flags = {"--precision=bf16", "--accumulation-steps=4", offload};
  CAPTURE(offload);
  const Probe one = test::train_three_steps(1, kLayers, flags).front();

  const std::vector<Probe> probes =
      test::train_three_steps(2, kLayers, joined(flags, {"--strategy=pipeline"}));

  CHECK(test::relative_difference(stage_parameters(probes), one.parameters) <= 1e-3);
  CHECK(test::relative_difference(probes.back().losses, one.losses) <= 1e-3);
  CHECK(probes[0].memory.at("optimizer") == probes[0].calculated.at("optimizer"));
}

// By hand: of 24-40-17-12-8, 2 x 960 FLOP, then 3 x 680, 204 and 96 a sample: the first layer and
// the other three. 24 samples of 40 numbers cross the border each way, in 4 messages, in each of
// the two steps counted.
TEST_CASE("activations cross a border between GPUs forward and as many gradients back", "[gpu]") {
  test::require_gpu_and_mpirun();
  const auto [precision, size] =
      GENERATE(table<std::string, int>({{"--precision=fp32", 4}, {"--precision=bf16", 2}}));
  const std::vector<Probe> probes = test::train_three_steps(
      2,
      kLayers,
      {"--strategy=pipeline", "--comm=mpi_staged", "--accumulation-steps=4", precision});

  for (const Probe& probe : probes) {
    CHECK(probe.bytes == 2 * 24 * 40 * size);
    CHECK(probe.planned_traffic == probe.bytes);
    CHECK(probe.calls == 2 * 4);
  }
}

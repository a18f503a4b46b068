// Stages of one model on GPUs, which are one that they share where there are no more: against one
// CPU core with all of the model.
#include "tests/support/catch.h"
#include "tests/workloads/gpu_programs.h"
#include "tests/workloads/probe_output.h"

using namespace scalestudy;
using test::Probe;
using Flags = std::vector<std::string>;

namespace {

Flags joined(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// Four layers, with dropout.
const Flags kLayers = {"24,40,17,12,8", "0.2"};

// What each rank wrote; on GPUs each is a node of its own.
std::vector<Probe> train(int ranks, const Flags& network, const Flags& flags, bool has_gpu = true) {
  const test::TemporaryFolder folder;
  Flags program =
      joined({test::neighbour("training_probe"), folder.file("probe")},
             joined(network, {"--batch-global=24", "--warmup-steps=0", "--measured-steps=3"}));
  program = joined(std::move(program), flags);
  const test::ProgramResult result =
      has_gpu ? test::run_on_virtual_nodes(joined(program, {"--backend=cuda"}), {}, ranks)
              : test::mpirun(ranks, program);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<Probe> probes;
  for (int rank = 0; rank < ranks; ++rank) {
    probes.push_back(test::read_probe(folder.file("probe." + std::to_string(rank))));
  }
  return probes;
}

// Of all stages, in the order of one rank, which has the last layer first.
std::vector<double> parameters_of(const std::vector<Probe>& stages) {
  std::vector<double> all;
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    all.insert(all.end(), stage->parameters.begin(), stage->parameters.end());
  }
  return all;
}

}  // namespace

TEST_CASE("stages on GPUs end with the parameters and losses of one CPU core", "[gpu]") {
  test::require_gpu_and_mpirun();
  const std::string comm = GENERATE("nccl", "mpi_staged");
  const auto [stages, model, parts] = GENERATE(table<int, Flags, std::string>(
      {{2, kLayers, "1"},
       {2, kLayers, "8"},
       {3, kLayers, "4"},
       {4, kLayers, "8"},
       {2, {"-", "-", "--model=lstm-332k", "--model-width=32", "--model-sequence=8"}, "4"},
       {3,
        {"-",
         "-",
         "--model=resnet50-cifar",
         "--model-width=8",
         "--model-layers=1",
         "--model-image=16"},
        "2"},
       {3,
        {"-",
         "-",
         "--model=llama-7b",
         "--model-layers=2",
         "--model-width=32",
         "--model-heads=2",
         "--model-sequence=8",
         "--model-vocabulary=16"},
        "4"}}));
  CAPTURE(comm, stages, model, parts);
  const Flags network = joined(model, {"--accumulation-steps=" + parts});
  const Probe one = train(1, network, {}, false).front();

  const std::vector<Probe> probes =
      train(stages, network, {"--strategy=pipeline", "--comm=" + comm});

  CHECK(test::relative_difference(parameters_of(probes), one.parameters) <= 1e-5);
  CHECK(test::relative_difference(probes.back().losses, one.losses) <= 1e-4);
  CHECK(probes.front().losses == std::vector<double>(3, 0.0));
  for (const Probe& probe : probes) {
    for (const char* part : {"parameters", "gradients", "optimizer", "buffers", "data"}) {
      CHECK(probe.memory.at(part) == probe.calculated.at(part));
    }
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
  const std::vector<double> one = train(1, kLayers, flags, false).front().parameters;

  const std::vector<Probe> probes =
      train(3, kLayers, joined(flags, {"--strategy=pipeline", "--comm=" + comm}));

  CHECK(test::relative_difference(parameters_of(probes), one) <= 1e-5);
}

TEST_CASE("what is compared has moved, and clipping counts on GPUs", "[gpu]") {
  test::require_gpu_and_mpirun();
  const auto run = [](const std::string& flag) {
    return parameters_of(
        train(2, kLayers, {"--strategy=pipeline", "--accumulation-steps=4", flag}));
  };
  const std::vector<double> plain = run("--seed=1");

  CHECK(test::relative_difference(run("--learning-rate=0"), plain) > 1e-3);
  CHECK(test::relative_difference(run("--clip-norm=0.05"), plain) > 1e-5);
}

// Activations and their gradients are in 16 bits on one GPU too.
TEST_CASE("stages in bf16 end where one GPU does, with or without its optimizer's state", "[gpu]") {
  test::require_gpu_and_mpirun();
  const auto* offload = GENERATE("--offload=none", "--offload=optimizer");
  const Flags flags = {"--precision=bf16", "--accumulation-steps=4", offload};
  CAPTURE(offload);
  const Probe one = train(1, kLayers, flags).front();

  const std::vector<Probe> probes = train(2, kLayers, joined(flags, {"--strategy=pipeline"}));

  CHECK(test::relative_difference(parameters_of(probes), one.parameters) <= 1e-3);
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
  const std::vector<Probe> probes =
      train(2,
            kLayers,
            {"--strategy=pipeline", "--comm=mpi_staged", "--accumulation-steps=4", precision});

  for (const Probe& probe : probes) {
    CHECK(probe.bytes == 2 * 24 * 40 * size);
    CHECK(probe.planned_traffic == probe.bytes);
    CHECK(probe.calls == 2 * 4);
  }
}

// How training ends where a GPU's libraries find no memory, or compute something only wrongly: over
// the stand-in for GPUs (tests/cuda).
#include "tests/support/catch.h"
#include "tests/workloads/trial.h"
#include "workloads/protocol/exit_codes.h"

using namespace scalestudy;

namespace {

test::ProgramResult train(const std::string& full, const std::vector<std::string>& flags) {
  std::vector<std::string> program = {SCALESTUDY_CUDA_HOST "/bin/scalestudy-train",
                                      "--backend=cuda",
                                      "--batch-per-device=4",
                                      "--warmup-steps=0",
                                      "--measured-steps=1"};
  program.insert(program.end(), flags.begin(), flags.end());
  return test::mpirun(1, program, {"SCALESTUDY_FULL_GPU=" + full});
}

const std::vector<std::string> kResidual = {"--model=resnet50-cifar",
                                            "--model-layers=1",
                                            "--model-width=8",
                                            "--model-image=16",
                                            "--comm=noop"};

}  // namespace

TEST_CASE("a library that finds no memory on a GPU ends a trial as out of memory", "[train]") {
  const auto [library, flags, words] =
      GENERATE(table<std::string, std::vector<std::string>, std::string>({
          {"cublas", {"--comm=noop"}, "cublasLtCreate"},
          {"cudnn", {"--comm=noop", "--model=lstm-332k", "--model-width=8"}, "cudnnCreate"},
          {"nccl", {"--comm=nccl"}, "out of memory"},
      }));
  CAPTURE(library);

  const test::ProgramResult result = train(library, flags);

  INFO(result.err);
  CHECK(result.exit_code == protocol::kExitOutOfMemory);
  CHECK(result.err.find(words) != std::string::npos);
}

TEST_CASE("convolutions in bf16 are refused as unsupported, with what to use", "[train]") {
  std::vector<std::string> flags = kResidual;
  flags.emplace_back("--precision=bf16");

  const test::ProgramResult result = train("", flags);

  INFO(result.err);
  CHECK(result.exit_code == protocol::kExitUnsupported);
  CHECK(result.err.find("use precision fp16, tf32 or fp32") != std::string::npos);
}

// The flat buffer of gradients is as long as that of parameters: of AdamW two moments, on a GPU or,
// with the parameters and their gradients, on the host.
TEST_CASE("an optimizer that is offloaded trains as one on the GPU", "[train]") {
  const auto trained = [](const std::string& offload) {
    const test::TemporaryFolder folder;
    const test::ProgramResult result = test::mpirun(2,
                                                    {SCALESTUDY_CUDA_HOST "/bin/scalestudy-train",
                                                     "--backend=cuda",
                                                     "--comm=mpi_staged",
                                                     "--batch-per-device=2",
                                                     "--warmup-steps=0",
                                                     "--measured-steps=3",
                                                     "--optimizer=adamw",
                                                     "--clip-norm=0.5",
                                                     "--offload=" + offload},
                                                    {"SCALESTUDY_OUTPUT=" + folder.file("record")});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return protocol::read_record(folder.file("record"));
  };
  const protocol::Record plain = trained("none");
  const protocol::Record offloaded = trained("optimizer");

  const auto losses = [](const protocol::Record& record) {
    return test::values_of(test::events_of<protocol::Samples>(record), "loss");
  };
  REQUIRE(losses(offloaded).size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(losses(offloaded)[i] == Approx(losses(plain)[i]).epsilon(1e-5));
  }
  CHECK(losses(offloaded)[2] != losses(offloaded)[0]);
  const auto facts = test::events_of<protocol::Start>(offloaded).at(0).facts;
  const auto before = test::events_of<protocol::Start>(plain).at(0).facts;
  const double parameters = facts.at("gradient_bytes");
  CHECK(before.at("memory_optimizer_bytes") == 2.0 * parameters + 8.0);  // a sum of squares
  CHECK(facts.at("memory_optimizer_bytes") == 8.0);
  CHECK(facts.at("calculated_optimizer_bytes") == 8.0);
  CHECK(facts.at("host_memory_bytes") == 4.0 * parameters);
  CHECK(facts.at("offload_bytes") == 2.0 * parameters);
  CHECK_FALSE(before.contains("offload_bytes"));
}

TEST_CASE("nothing is offloaded from CPU cores", "[train]") {
  const test::Trial trial =
      test::run_trial(1, R"({"batch_per_device": 4, "offload": "optimizer"})");

  CHECK(trial.result.exit_code == protocol::kExitUnsupported);
  CHECK(trial.result.err.find("use backend cuda") != std::string::npos);
}

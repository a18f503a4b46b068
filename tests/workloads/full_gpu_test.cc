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

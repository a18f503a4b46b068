// What --describe prints, and how a run that cannot fit ends.
#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"

using namespace scalestudy;

namespace {

test::ProgramResult train(const std::vector<std::string>& flags) {
  std::vector<std::string> program = {SCALESTUDY_TEST_BIN "/scalestudy-train"};
  program.insert(program.end(), flags.begin(), flags.end());
  return test::mpirun(1, program);
}

}  // namespace

// 148 tensors and 13 buckets, the last of 168.3 MiB, are what PyTorch's rule makes of GPT-2; the
// parameters take 124,439,808 * 4 bytes and the padding of the vocabulary, 47 * 768 * 4, of which
// the last bucket has all; AdamW's state takes twice that.
TEST_CASE("a run can be described before it takes memory", "[train]") {
  const test::ProgramResult result =
      train({"--describe", "--model=gpt2-124m", "--optimizer=adamw", "--batch-per-device=1"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("gpt2-124m: 124439808 parameters in 148 tensors"));
  CHECK_THAT(result.out, Catch::Contains("13 bucket(s) of gradients, the last of 176590848 bytes"));
  CHECK_THAT(
      result.out,
      Catch::Contains("parameters 497.9 MB, gradients 497.9 MB, optimizer 995.8 MB, activations "));
}

TEST_CASE("a truncated depth is said where a run is described", "[train]") {
  const test::ProgramResult result =
      train({"--describe", "--model=llama-7b", "--model-layers=2", "--batch-per-device=1"});

  CHECK_THAT(result.out, Catch::Contains("llama-7b, 2 of 32 layers: "));
}

// 258,432 parameters of 4 bytes, in layers that two ranks can share without padding: half of them
// are sent as sums and half as parameters, and of AdamW's 8 bytes for each a rank keeps half.
TEST_CASE("what a rank keeps and sends under a strategy is described", "[train]") {
  const test::ProgramResult result = train({"--describe",
                                            "--devices=2",
                                            "--batch-per-device=1",
                                            "--optimizer=adamw",
                                            "--strategy=zero1"});

  CHECK_THAT(result.out, Catch::Contains("1033728 bytes to send, a rank and step"));
  CHECK_THAT(result.out, Catch::Contains("gradients 1.0 MB, optimizer 1.0 MB"));
}

// Terabytes of activations.
TEST_CASE("a run that cannot fit ends as out of memory and says what it needs", "[train]") {
  const test::ProgramResult result = train({"--model=llama-7b", "--batch-per-device=64"});

  CHECK(result.exit_code == 79);
  CHECK_THAT(result.err, Catch::Contains("llama-7b at batch 64 needs"));
  CHECK_THAT(result.err, Catch::Contains("TB a rank: parameters 27.0 GB, gradients 27.0 GB"));
}

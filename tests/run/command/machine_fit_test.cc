// What of a study a machine cannot run, before anything is started.
#include "harness/run/command/machine_fit.h"

#include "harness/study/parse.h"
#include "tests/support/catch.h"
#include "tests/support/fake_machine.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

std::vector<std::string> told(const std::string& parameters,
                              std::int64_t gpus,
                              bool has_bf16 = true) {
  const ParsedStudy parsed =
      parse_study("version: 1\nstudy: s\nworkload: train\nparameters: " + parameters +
                      "\naxes: {devices: [1, 2, 4]}\n",
                  "s.yaml",
                  {});
  REQUIRE(parsed.problems.empty());
  test::FakeMachine machine;
  machine.gpu_count = gpus;
  machine.has_bf16 = has_bf16;
  return unsupported_cells(parsed.study, expand(parsed.study), machine, {});
}

}  // namespace

TEST_CASE("cells whose ranks would share a GPU are told, where NCCL sums", "[run]") {
  const std::string cuda = "{model: mlp-258k, batch_per_device: 8, backend: cuda";

  REQUIRE(told(cuda + "}", 1).size() == 1);
  CHECK_THAT(told(cuda + "}", 1).front(),
             Contains("2 of 3 cells") && Contains("(devices=2, ...): NCCL refuses ranks") &&
                 Contains("shows 1; "));
  CHECK_THAT(told(cuda + "}", 0).at(0), Contains("3 of 3 cells") && Contains("NVML shows none"));
  CHECK(told(cuda + "}", 4).empty());
  CHECK(told(cuda + ", comm: mpi_staged}", 1).empty());
  CHECK(told("{model: mlp-258k, batch_per_device: 8}", 1).empty());
}

TEST_CASE("cells in bf16 are told where no core multiplies it", "[run]") {
  const std::string bf16 = "{model: mlp-258k, batch_per_device: 8, precision: bf16";

  REQUIRE(told(bf16 + "}", 0, false).size() == 1);
  CHECK_THAT(told(bf16 + "}", 0, false).front(),
             Contains("3 of 3 cells would end unsupported here (devices=1, ...): precision bf16 "
                      "needs cores that multiply it"));
  CHECK(told(bf16 + "}", 0, true).empty());
  CHECK(told(bf16 + ", backend: cuda}", 4, false).empty());
  CHECK(told("{model: mlp-258k, batch_per_device: 8}", 0, false).empty());
}

TEST_CASE("ranks of more nodes than there are here are not told to be too many", "[run]") {
  const auto told_of = [](const std::string& nodes) {
    const ParsedStudy parsed = parse_study(
        "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k, "
        "nodes: " +
            nodes + ", devices: 16}\naxes: {batch_per_device: [8, 16]}\n",
        "s.yaml",
        {});
    REQUIRE(parsed.problems.empty());
    test::FakeMachine machine;
    return oversubscription(parsed.study, expand(parsed.study), machine);
  };

  CHECK_THAT(told_of("1"), Contains("every cell has more ranks"));
  CHECK(told_of("2").empty());
}

TEST_CASE("cells with more ranks than cores are named where the others have enough", "[run]") {
  const auto told_of = [](std::int64_t cores) {
    const ParsedStudy parsed = parse_study(
        "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k, batch_global: 16, "
        "threads: 1}\naxes: {devices: [1, 2, 4]}\nanalysis: {baseline: {devices: 1}}\n",
        "s.yaml",
        {});
    REQUIRE(parsed.problems.empty());
    test::FakeMachine machine;
    machine.core_count = cores;
    return oversubscription(parsed.study, expand(parsed.study), machine);
  };

  CHECK(told_of(4).empty());
  CHECK(told_of(2) ==
        "1 of 3 cells has more ranks (or threads of them) than this machine has cores or GPUs (2 "
        "and 0): devices=4. The report will say nothing about the performance of this cell");
  CHECK_THAT(told_of(1), Contains("one side of every comparison has more ranks"));
}

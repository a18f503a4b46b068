// What a trial, and a description, on GPUs tells of their memory: over the stand-in for GPUs.
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cuda_record.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using test::record_of;

namespace {

// What two ranks on GPUs of these indices tell of the driver's count, which tells what
// tests/cuda/nvml.cc says.
std::map<std::string, double> driver_facts(const std::string& gpus, const std::string& kind) {
  auto facts =
      test::events_of<protocol::End>(record_of(2,
                                               {"--backend=cuda",
                                                "--comm=mpi_staged",
                                                "--batch-per-device=2",
                                                "--warmup-steps=0",
                                                "--measured-steps=1"},
                                               {"CUDA_VISIBLE_DEVICES=" + gpus,
                                                "LD_LIBRARY_PATH=" SCALESTUDY_CUDA_HOST "/nvml",
                                                "SCALESTUDY_FAKE_NVML=" + kind}))
          .at(0)
          .facts;
  std::erase_if(facts, [](const auto& fact) { return !fact.first.starts_with("driver_"); });
  return facts;
}

}  // namespace

TEST_CASE("a trial on GPUs tells what its largest rank holds by the driver's count", "[train]") {
  using Facts = std::map<std::string, double>;
  const Facts listed = {{"driver_memory_bytes", 0.75e9}, {"driver_memory_of_process", 1}};

  CHECK(driver_facts("0,1", "process") == listed);
  CHECK(driver_facts("0", "process") == listed);  // of the process, whoever shares its GPU
  CHECK(driver_facts("0,1", "") ==
        Facts{{"driver_memory_bytes", 1e9}, {"driver_memory_of_process", 0}});
  // The growth of a GPU that ranks share is that of both.
  CHECK(driver_facts("0", "").empty());
  CHECK(driver_facts("0,1", "shrunk").empty());
  CHECK(driver_facts("0,1", "little").empty());  // the model takes more
}

// The stand-in's GPUs have 16 GiB.
TEST_CASE("a trial tells how much memory its device has", "[train]") {
  const auto bytes = [](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--batch-per-device=2", "--measured-steps=1"};
    flags.insert(flags.end(), more.begin(), more.end());
    const auto facts = test::events_of<protocol::Start>(record_of(1, flags, {})).at(0).facts;
    return facts.contains("device_memory_bytes") ? facts.at("device_memory_bytes") : 0.0;
  };

  CHECK(bytes({"--backend=cuda"}) == 16.0 * 1024 * 1024 * 1024);
  CHECK(bytes({"--backend=cuda", "--device-memory-gb=2"}) == 2e9);
  CHECK(bytes({"--device-memory-gb=2"}) == 2e9);
  CHECK(bytes({}) == 0.0);
}

TEST_CASE("a description tells a GPU's memory where the study declares none", "[train]") {
  const auto described = [](std::vector<std::string> flags) {
    const test::TemporaryFolder folder;
    flags.insert(flags.begin(),
                 {SCALESTUDY_CUDA_HOST "/bin/scalestudy-train",
                  "--describe",
                  "--backend=cuda",
                  "--batch-per-device=1",
                  "--offload=optimizer"});
    const test::ProgramResult result =
        test::run_program(flags, {"SCALESTUDY_OUTPUT=" + folder.file("record")});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return test::events_of<protocol::Start>(protocol::read_record(folder.file("record")))
        .at(0)
        .facts;
  };
  const auto facts = described({});

  CHECK(facts.at("gpu_memory_bytes") == 16.0 * 1024 * 1024 * 1024);
  // Of sgd a moment, a parameter and a gradient, of 4 bytes each.
  CHECK(facts.at("host_memory_bytes") == 3 * 4 * 258432);
  CHECK(facts.at("available_host_memory_bytes") > 0.0);
  CHECK_FALSE(described({"--device-memory-gb=1"}).contains("gpu_memory_bytes"));
}

// The memory of a plan, from a program that describes its cells.
#include "harness/run/attempt/memory_plan.h"

#include <algorithm>
#include <fstream>

#include "harness/base/error.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"
#include "tests/support/fake_launcher.h"

using namespace scalestudy;
using test::FakeLauncher;

namespace {

Study make_study(const std::string& rest) {
  ParsedStudy parsed = parse_study("version: 1\nstudy: s\nworkload: train\n" + rest, "s.yaml", {});
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

// A program that needs 100 bytes and 10 for each sample, on a machine with 450.
LaunchResult describe(const LaunchRequest& request) {
  const std::string& parameters = request.environment.at("SCALESTUDY_PARAMETERS");
  const std::string name = "\"batch_per_device\":";
  const int batch = std::stoi(parameters.substr(parameters.find(name) + name.size()));
  std::ofstream(request.output_path)
      << R"({"v":1,"event":"start","workload":"train","ranks":1,"facts":{"memory_bytes":)"
      << 100 + 10 * batch << R"(,"available_memory_bytes":450}})"
      << "\n";
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = 0;
  return result;
}

// A program that tells these facts of every cell.
auto describer(const std::string& facts) {
  return [facts](const LaunchRequest& request) {
    std::ofstream(request.output_path)
        << R"({"v":1,"event":"start","workload":"train","ranks":1,"facts":{)" << facts << "}}\n";
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = 0;
    return result;
  };
}

const std::string kCells =
    "axes: {devices: [1, 2, 4], batch_global: [8, 16], bucket_mb: [1, 25]}\ncontrols: [noop]\n";

}  // namespace

TEST_CASE("the cell whose ranks together need most is found with one question a number of devices",
          "[run]") {
  const Study study = make_study(kCells);
  FakeLauncher launcher(describe);

  const auto need = plan_memory(study, expand(study), "train", launcher);

  REQUIRE(need.has_value());
  CHECK(need->label == "devices=4 batch_global=16 bucket_mb=1");
  CHECK(need->ranks == 4);
  CHECK(need->bytes_per_rank == 140.0);  // 4 of 16 samples each
  CHECK(need->total_bytes() == 560.0);
  CHECK(need->available_bytes == 450.0);
  CHECK(launcher.requests.size() == 3 + 1);  // 4, 8 and 16 samples a rank, and what may fit
  CHECK(launcher.requests[0].argv == std::vector<std::string>{"train", "--describe"});
}

TEST_CASE("cells are asked for with their devices where a rank's memory depends on these",
          "[run]") {
  const auto [parameter, json] =
      GENERATE(table<std::string, std::string>({{"comm_dtype: bf16", "\"comm_dtype\":\"bf16\""},
                                                {"device_memory_gb: 1", "\"device_memory_gb\":1"},
                                                {"topk: 1%", "\"topk\":1"},
                                                {"powersgd_rank: 2", "\"powersgd_rank\":2"},
                                                {"strategy: zero1", "\"strategy\":\"zero1\""}}));
  const Study study = make_study("axes: {devices: [1, 2], batch_per_device: [8]}\nparameters: {" +
                                 parameter + "}\n");
  FakeLauncher launcher(describe);

  plan_memory(study, expand(study), "train", launcher);

  REQUIRE(launcher.requests.size() == 2 + 1);
  const std::string& asked = launcher.requests[1].environment.at("SCALESTUDY_PARAMETERS");
  CHECK(asked.find(json) != std::string::npos);
  CHECK(asked.find("\"devices\":2") != std::string::npos);
}

TEST_CASE("the largest share of a batch is asked for", "[run]") {
  const Study study =
      make_study("axes: {devices: [2], batch_per_device: [8], shares: [equal, \"1:3\"]}\n");
  FakeLauncher launcher(describe);

  plan_memory(study, expand(study), "train", launcher);

  CHECK(launcher.requests.size() == 2 + 1);
  CHECK(std::ranges::any_of(launcher.requests, [](const LaunchRequest& request) {
    const std::string& asked = request.environment.at("SCALESTUDY_PARAMETERS");
    return asked.find("\"shares\":\"1:3\"") != std::string::npos &&
           asked.find("\"devices\":2") != std::string::npos;
  }));
}

// Of ddp one rank is asked about without its devices: a rank 1 would be refused there.
TEST_CASE("the rank that fails is not asked about where devices are not", "[run]") {
  const Study study = make_study(
      "axes: {devices: [2], batch_per_device: [8], failure: [none, kill_rank]}\n"
      "parameters: {failure_rank: 1, failure_step: 5}\n");
  FakeLauncher launcher(describe);

  CHECK(plan_memory(study, expand(study), "train", launcher).has_value());

  REQUIRE(launcher.requests.size() == 2 + 1);
  for (int i = 0; i < 2; ++i) {
    const std::string& asked = launcher.requests[i].environment.at("SCALESTUDY_PARAMETERS");
    CHECK(asked.find("\"failure_step\":5") != std::string::npos);
    CHECK(asked.find("\"devices\"") == std::string::npos);
    CHECK(asked.find("\"failure_rank\"") == std::string::npos);
  }
}

TEST_CASE("what a device holds, and the largest models that fit it, are of the plan", "[run]") {
  const Study study = make_study(kCells + "parameters: {device_memory_gb: 0.00000012}\n");
  FakeLauncher launcher(
      describer(R"("memory_bytes":140,"device_memory_bytes":120,"largest_layers.ddp":0,)"
                R"("largest_layers.fsdp.offload":3,"largest_host_bytes.fsdp.offload":70)"));

  const auto need = plan_memory(study, expand(study), "train", launcher);

  REQUIRE(need.has_value());
  CHECK(need->device_bytes == 120.0);
  CHECK(need->is_device_declared);
  CHECK(need->fit_bytes == 120.0);
  CHECK(need->largest_layers == std::map<std::string, double>{{"ddp", 0.0}, {"fsdp.offload", 3.0}});
  CHECK(need->largest_host_bytes == std::map<std::string, double>{{"fsdp.offload", 70.0}});
  CHECK(need->exceeds());  // though nothing is known of the machine
}

// 450 bytes shared by 4 ranks are 112.5 for each, a GPU's 16e9 are 16 GB.
TEST_CASE("without a declared device the models are to fit a share of the memory, or a GPU's",
          "[run]") {
  const auto [facts, fit_bytes, asked] = GENERATE(table<std::string, double, std::string>(
      {{R"("memory_bytes":100,"available_memory_bytes":450)", 112.5, R"(:1.125e-07)"},
       {R"("memory_bytes":100,"gpu_memory_bytes":16e9,"available_host_memory_bytes":450)",
        16e9,
        R"(:16)"}}));
  const Study study = make_study(kCells);
  FakeLauncher launcher(describer(facts));

  const auto need = plan_memory(study, expand(study), "train", launcher);

  REQUIRE(need.has_value());
  CHECK(need->fit_bytes == fit_bytes);
  CHECK_FALSE(need->is_device_declared);
  const std::string& parameters = launcher.requests.back().environment.at("SCALESTUDY_PARAMETERS");
  CHECK_THAT(parameters, Catch::Contains(R"("device_memory_gb")" + asked));
  CHECK_THAT(parameters, Catch::Contains(R"("devices":4)"));
}

TEST_CASE("what all ranks of a node pin of its memory is held against what that has", "[run]") {
  const Study study = make_study(kCells);
  FakeLauncher launcher(describer(R"("memory_bytes":100,"host_memory_bytes":90,)"
                                  R"("checkpoint_memory_bytes":100,)"
                                  R"("available_host_memory_bytes":450)"));

  const auto need = plan_memory(study, expand(study), "train", launcher);

  REQUIRE(need.has_value());
  CHECK(need->ranks == 4);
  CHECK(need->total_bytes() == 400.0);  // of GPUs
  CHECK(need->host_bytes() == 460.0);   // 4 x 90, and the checkpoints
  CHECK(need->exceeds_host());
  CHECK(need->exceeds());
}

TEST_CASE("checkpoints that are kept in memory count once a machine", "[run]") {
  const Study study = make_study(kCells);
  FakeLauncher launcher(describer(R"("memory_bytes":100,"checkpoint_memory_bytes":60,)"
                                  R"("available_memory_bytes":450)"));

  const auto need = plan_memory(study, expand(study), "train", launcher);

  REQUIRE(need.has_value());
  CHECK(need->ranks == 4);
  CHECK(need->checkpoint_bytes == 60.0);
  CHECK(need->total_bytes() == 460.0);
  CHECK(need->exceeds());  // of 450, which four ranks alone do not
}

TEST_CASE("a cell that the program refuses is an error of the plan with its words", "[run]") {
  const Study study = make_study(kCells);
  FakeLauncher launcher([](const LaunchRequest& request) {
    std::ofstream(request.stderr_path) << "first\nscalestudy-train: no such thing\n";
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = 2;
    return result;
  });

  CHECK_THROWS_WITH(plan_memory(study, expand(study), "train", launcher),
                    "every trial of devices=1 batch_global=16 bucket_mb=1 would be refused: "
                    "scalestudy-train: no such thing");
}

TEST_CASE("a program that does not answer leaves the memory unknown", "[run]") {
  const Study study = make_study(kCells);
  FakeLauncher launcher([](const LaunchRequest&) { return LaunchResult(); });

  CHECK_FALSE(plan_memory(study, expand(study), "train", launcher).has_value());
}

// scalestudy-collective from outside.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <variant>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;

namespace {

const std::string kProgram = std::string(SCALESTUDY_TEST_BIN) + "/scalestudy-collective";

struct Trial {
  test::ProgramResult result;
  protocol::Record record;
};

Trial run_trial(int ranks,
                const std::string& parameters,
                const std::vector<std::string>& environment = {}) {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  std::vector<std::string> variables = environment;
  variables.push_back("SCALESTUDY_PARAMETERS=" + parameters);
  variables.push_back("SCALESTUDY_OUTPUT=" + output);
  Trial trial;
  trial.result = test::mpirun(ranks, {kProgram}, variables);
  trial.record = protocol::read_record(output);
  return trial;
}

std::optional<protocol::Check> check_of(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* check = std::get_if<protocol::Check>(&event)) {
      return *check;
    }
  }
  return std::nullopt;
}

std::string parameters_of(const std::string& operation, const std::string& mode) {
  return R"({"operation":")" + operation + R"(","mode":")" + mode +
         R"(","message_bytes":4000,"operations_per_step":3,"warmup_steps":1,"measured_steps":2})";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every operation delivers exact data in both modes", "[collective]") {
  const auto result = test::mpirun(3, {SCALESTUDY_COLLECTIVE_PROBE});

  CHECK(result.exit_code == 0);
  std::istringstream lines(result.out);
  int count = 0;
  std::string operation;
  std::string mode;
  for (int wrong = -1; lines >> operation >> mode >> wrong; ++count) {
    CAPTURE(operation, mode);
    CHECK(wrong == 0);
  }
  CHECK(count == 12);
}

TEST_CASE("a batch gives the time of one operation, on every rank and over all", "[collective]") {
  const Trial trial = run_trial(2, parameters_of("all_reduce", "back_to_back"));

  CHECK(trial.result.exit_code == 0);
  std::vector<const protocol::Samples*> times;
  const protocol::Start* start = nullptr;
  for (const protocol::Event& event : trial.record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event);
        samples != nullptr && samples->metric == "step_time_s") {
      times.push_back(samples);
    }
    if (const auto* found = std::get_if<protocol::Start>(&event)) {
      start = found;
    }
  }
  REQUIRE(times.size() == 3);
  CHECK(times[0]->values.size() == 3);
  CHECK(times[0]->warmup == 1);
  CHECK(times[0]->values[1] == std::max(times[1]->values[1], times[2]->values[1]));
  REQUIRE(start != nullptr);
  CHECK(start->workload == "collective");
  CHECK(start->facts.at("total_bytes") == 4000.0);
  CHECK(start->facts.at("busbw_factor") == 1.0);
  CHECK(start->facts.at("operations_per_step") == 3.0);
}

TEST_CASE("one wrong element of one rank fails the trial", "[collective]") {
  const Trial trial = run_trial(
      2, parameters_of("all_reduce", "back_to_back"), {"LD_PRELOAD=" SCALESTUDY_WRONG_ALLREDUCE});

  CHECK(trial.result.exit_code != 0);
  const auto check = check_of(trial.record);
  REQUIRE(check.has_value());
  CHECK_FALSE(check->passed);
  CHECK(contains(check->detail, "1 received elements"));
  const auto* end = std::get_if<protocol::End>(&trial.record.events.back());
  REQUIRE(end != nullptr);
  CHECK_FALSE(end->ok);
}

TEST_CASE(
    "a collective of one rank, and one on a GPU that is not there, are refused with the reason",
    "[collective]") {
  const auto alone = test::mpirun(1, {kProgram, "--measured-steps", "1"});
  const auto gpu = test::mpirun(2, {kProgram, "--backend", "cuda"});

  CHECK(alone.exit_code == 2);
  CHECK(contains(alone.err, "devices is \"1\""));
  CHECK(gpu.exit_code == 77);
  CHECK(contains(gpu.err, "GPU"));
}

TEST_CASE("a run by hand prints time and bandwidths", "[collective]") {
  const auto result = test::mpirun(
      2, {kProgram, "--message-bytes", "4096", "--measured-steps", "2", "--warmup-steps", "1"});

  CHECK(result.exit_code == 0);
  for (const char* part : {"all_reduce of 4096 bytes", "step_time_s", "busbw", "data_exact"}) {
    CHECK(contains(result.out, part));
  }
}

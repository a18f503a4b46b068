// A training run whose loss is no number any more ends, on every rank.
#include <cmath>
#include <optional>

#include "tests/support/catch.h"
#include "tests/workloads/trial.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

using namespace scalestudy;

namespace {

// Of the model mlp-258k; its parameters overflow within a few steps.
const train::Texts kDiverging = {
    {"batch_per_device", "16"}, {"learning_rate", "1e30"}, {"loss", "mse"}, {"warmup_steps", "0"}};

// By one rank, and last of all.
bool says_diverged(const protocol::Record& record) {
  const auto checks = test::events_of<protocol::Check>(record);
  const auto ends = test::events_of<protocol::End>(record);
  return checks.size() == 1 && checks[0].name == "loss_finite" && !checks[0].passed &&
         ends.size() == 1 && !ends[0].ok && ends[0].message == checks[0].detail;
}

}  // namespace

TEST_CASE("a trainer finds a loss that is not finite within 16 steps", "[train]") {
  std::size_t steps = 0;
  std::optional<std::size_t> found;
  std::vector<train::StepTimes> times;

  const int exit_code =
      rank::run_program(0, nullptr, [&](const rank::World& world, protocol::Writer*) {
        const auto trainer = train::make_trainer(
            train::make_options(train::complete(train::merge({}, kDiverging), world.size())),
            world);
        for (; steps < 100 && !trainer->diverged_step(); ++steps) {
          trainer->step(steps);
        }
        found = trainer->diverged_step();
        times = trainer->finish().times;
        return 0;
      });

  REQUIRE(exit_code == 0);
  REQUIRE(found);
  CHECK_FALSE(std::isfinite(times.at(*found)[train::kLoss]));
  CHECK(std::isfinite(times.at(*found - 1)[train::kLoss]));
  CHECK(steps <= *found + 16);
}

TEST_CASE("a diverging run ends not ok at once and says so", "[train]") {
  const auto [ranks, more] = GENERATE(table<int, std::string>({
      {1, ""},
      {2, ""},
      {2, R"("overlap": "thread", )"},
      {2, R"("overlap": "poll", )"},
      {2, R"("payload": "element", )"},
      {2, R"("comm": "noop", )"},
  }));
  INFO(more);

  const test::Trial trial = test::run_trial(
      ranks, "{" + more + R"("batch_per_device": 16, "learning_rate": 1e30, "loss": "mse",
                             "warmup_steps": 0, "measured_steps": 500000})");

  CHECK(trial.result.exit_code == 1);
  CHECK(trial.result.err.find("the loss is not finite from step ") != std::string::npos);
  CHECK(trial.record.problems.empty());
  CHECK(says_diverged(trial.record));
}

// Here the first layer alone overflows. With its NaN at 0 the loss was 1e30, which is finite.
TEST_CASE("a layer that diverges shows in the loss through the ReLUs behind it", "[train]") {
  const std::string more = GENERATE("", R"("clip_norm": 1, )");
  const test::Trial trial = test::run_trial(
      1, "{" + more + R"("batch_per_device": 16, "learning_rate": 1e30, "warmup_steps": 0,
                         "measured_steps": 40})");

  CHECK(trial.result.exit_code == 1);
  CHECK(trial.result.err.find("the loss is not finite from step 1") != std::string::npos);
}

TEST_CASE("a run in which one rank alone diverges says so, also where the others wait for it",
          "[train]") {
  const int rank = GENERATE(0, 1);
  const bool has_waiting = GENERATE(false, true);
  INFO("rank " << rank << (has_waiting ? ", waiting" : ""));
  const test::TemporaryFolder folder;
  std::vector<std::string> environment = {
      "SCALESTUDY_OUTPUT=" + folder.file("trial.jsonl"),
      "PROBE_DIVERGING_RANK=" + std::to_string(rank),
      R"(SCALESTUDY_PARAMETERS={"batch_per_device": 16, "measured_steps": 10000})"};
  if (has_waiting) {
    environment.emplace_back("PROBE_WAITS=1");
  }

  const test::ProgramResult result =
      test::mpirun(2, {SCALESTUDY_TEST_BIN "/../tests/window_probe"}, environment);

  CHECK(result.exit_code == 1);
  const protocol::Record record = protocol::read_record(folder.file("trial.jsonl"));
  CHECK(record.problems.empty());
  CHECK(says_diverged(record));
}

TEST_CASE("a trainer that measured no step fails the trial", "[train]") {
  const test::ProgramResult result =
      test::mpirun(2,
                   {SCALESTUDY_TEST_BIN "/../tests/window_probe"},
                   {"PROBE_NO_STEPS=1",
                    R"(SCALESTUDY_PARAMETERS={"batch_per_device": 16, "measured_steps": 3})"});

  CHECK(result.exit_code == 1);
  CHECK(result.err.find("no step was measured") != std::string::npos);
}

TEST_CASE("a run that diverges in its last steps ends not ok too", "[train]") {
  const test::Trial trial =
      test::run_trial(1, R"({"batch_per_device": 16, "learning_rate": 1e30, "loss": "mse",
             "warmup_steps": 0, "measured_steps": 7})");

  CHECK(trial.result.exit_code == 1);
  const auto checks = test::events_of<protocol::Check>(trial.record);
  REQUIRE(!checks.empty());
  CHECK(checks[0].name == "loss_finite");
  CHECK_FALSE(checks[0].passed);
}

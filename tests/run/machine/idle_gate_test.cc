// Waiting for an idle machine, and the product that is timed around blocks.
#include "harness/run/machine/idle_gate.h"

#include "tests/run/study_room.h"

using namespace scalestudy;

using Catch::Contains;
using test::count;
using test::goes_well;
using test::kStudy;
using test::parse;
using test::Room;

namespace {

std::optional<double> telemetry(Room& room, std::int64_t trial, const std::string& name) {
  const auto rows = room.store.telemetry(room.store.find_study("fake")->id);
  for (const TelemetryRow& row : rows.at(trial)) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

std::vector<std::string> waits(const Room& room) {
  std::vector<std::string> texts;
  for (const Progress& progress : room.heard) {
    if (!progress.waiting.empty()) {
      texts.push_back(progress.waiting);
    }
  }
  return texts;
}

}  // namespace

TEST_CASE("a trial waits until others leave the machine alone, and says so once", "[run]") {
  Room room(goes_well);
  room.busy_until_s = 20.0;

  room.run(parse(kStudy, {"validity={idle_wait: 1min}"}));

  REQUIRE(waits(room).size() == 1);
  CHECK_THAT(waits(room)[0], Contains("other processes took 1.00 of 2 cores"));
  const auto trials = room.trials();
  CHECK(telemetry(room, trials[0].id, "idle_wait_s").value() >= 20.0);
  CHECK(telemetry(room, trials[0].id, "idle_wait_s").value() <= 22.0);
  CHECK(telemetry(room, trials[1].id, "idle_wait_s") == 0.5);  // one look
}

TEST_CASE("without a declared wait nothing is waited for, however busy the machine is", "[run]") {
  Room room(goes_well);
  room.busy_until_s = 1e9;

  CHECK(room.run(parse(kStudy)).run_now == 6);

  CHECK(room.clock.now_s == 0.0);
  CHECK_FALSE(telemetry(room, room.trials()[0].id, "idle_wait_s"));
}

TEST_CASE("on a machine that is never idle all waits together are twice the one declared",
          "[run]") {
  Room room(goes_well);
  room.busy_until_s = 1e9;

  const RunSummary summary = room.run(parse(kStudy, {"validity={idle_wait: 1min}"}));

  CHECK(count(summary, TrialState::kOk) == 6);
  CHECK(room.clock.now_s > 60.0);
  CHECK(room.clock.now_s <= 120.0 + 6 * 1.5);  // and a look for each trial
}

TEST_CASE("after an idle moment the whole wait is there again", "[run]") {
  Room room(goes_well);
  const Validity limits{.idle_wait_s = 8.0};
  const std::atomic<bool> never{false};
  IdleGate gate(limits, room.machine, room.clock, [&](double seconds) { room.sleep(seconds); });
  const auto wait = [&] {
    return gate.wait(
        false, [](const std::string&) {}, never);
  };

  room.busy_until_s = 1e9;
  CHECK(wait().waited_s >= 8.0);
  CHECK(wait().waited_s < 6.5);
  room.busy_until_s = 0.0;
  CHECK(wait().busy.empty());
  room.busy_until_s = 1e9;
  CHECK(wait().waited_s >= 8.0);
}

TEST_CASE("under abort a machine that does not get idle ends the run before a trial", "[run]") {
  Room room(goes_well);
  room.busy_until_s = 1e9;

  const RunSummary summary = room.run(parse(kStudy, {"validity={policy: abort, idle_wait: 5s}"}));

  CHECK(summary.run_now == 0);
  CHECK_THAT(summary.stopped, Contains("did not get idle"));
  CHECK(count(summary, TrialState::kPlanned) == 6);
}

TEST_CASE("a stop ends the wait", "[run]") {
  Room room(goes_well);
  room.busy_until_s = 1e9;
  room.stop = true;
  const Validity limits{.idle_wait_s = 1e6};
  IdleGate gate(limits, room.machine, room.clock, [&](double seconds) { room.sleep(seconds); });

  CHECK(gate.wait(
                false, [](const std::string&) {}, room.stop)
            .waited_s < 1.0);
}

TEST_CASE("GPUs that work, are full or hot are waited for by trials that may use them", "[run]") {
  Room room(goes_well);
  const Validity limits{.idle_wait_s = 1.0};
  const std::atomic<bool> never{false};
  IdleGate gate(limits, room.machine, room.clock, [&](double seconds) { room.sleep(seconds); });
  const auto busy = [&](const Reading& reading, bool uses_gpus) {
    room.machine.readings = {reading};
    return gate
        .wait(
            uses_gpus, [](const std::string&) {}, never)
        .busy;
  };

  CHECK_THAT(busy({"gpu1_utilization", 0.4, "1"}, true), Contains("gpu1_utilization is 40 %"));
  CHECK_THAT(busy({"gpu0_memory_share", 0.2, "1"}, true), Contains("validity.gpu_memory: 10 %"));
  CHECK_THAT(busy({"gpu0_throttled", 1.0, "1"}, true), Contains("throttled"));
  CHECK(busy({"gpu0_utilization", 0.05, "1"}, true).empty());
  CHECK(busy({"gpu0_memory_share", 0.2, "1"}, false).empty());
}

TEST_CASE("a trial waits until the clocks of GPUs have settled", "[run]") {
  test::FakeMachine machine;
  machine.readings = {{"gpu0_sm_clock_hz", 1.98e9, "Hz"}};
  test::FakeClock clock;
  Validity limits;
  limits.idle_wait_s = 30.0;
  int sleeps = 0;
  IdleGate gate(limits, machine, clock, [&](double seconds) {
    clock.now_s += seconds;
    machine.readings[0].value = ++sleeps < 4 ? 1.98e9 / sleeps : 345e6;
  });
  const std::atomic<bool> stop{false};
  std::string told;

  const IdleGate::Wait wait = gate.wait(
      true, [&](const std::string& why) { told = why; }, stop);

  CHECK(wait.busy.empty());
  CHECK(machine.readings[0].value == 345e6);
  CHECK_THAT(told, Contains("gpu0_sm_clock_hz went from 1980 to 990 MHz"));
  sleeps = 0;
  CHECK(gate.wait(
                false, [](const std::string&) {}, stop)
            .busy.empty());
  CHECK(sleeps == 1);  // one look: a trial without GPUs does not ask
}

TEST_CASE("a product is timed before the first and after the last trial of each block", "[run]") {
  Room room(goes_well);
  room.machine.calibrations = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

  room.run(parse(kStudy));

  const auto trials = room.trials();
  for (std::size_t block = 0; block < 3; ++block) {
    const auto first = 2.0 * static_cast<double>(block) + 1.0;
    CHECK(telemetry(room, trials[2 * block].id, "calibration_before_s") == first);
    CHECK(telemetry(room, trials[2 * block + 1].id, "calibration_after_s") == first + 1.0);
    CHECK_FALSE(telemetry(room, trials[2 * block].id, "calibration_after_s"));
  }
  CHECK(room.machine.calibrations == std::vector<double>{7.0});
}

TEST_CASE("an interrupted block is timed again, and none is where the study says so", "[run]") {
  Room room(goes_well);
  room.machine.calibrations = std::vector<double>(20, 1.0);
  room.run(parse(kStudy), {.max_trials = 1});
  room.run(parse(kStudy));
  CHECK(telemetry(room, room.trials()[1].id, "calibration_before_s") == 1.0);

  Room without(goes_well);
  without.machine.calibrations = {1.0};
  without.run(parse(kStudy, {"validity={calibration: none}"}));
  CHECK(without.machine.calibrations.size() == 1);
}

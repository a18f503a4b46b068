#include "harness/run/machine/device_memory.h"

#include "harness/run/command/launch_command.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

}  // namespace

TEST_CASE("a trial waits until the memory that the last one used is free", "[run]") {
  Room room(test::goes_well);
  // Before the first trial; then what it left is freed while the second one waits.
  room.machine.gpu_memory_bytes = {kGiB, 5 * kGiB, 3 * kGiB, kGiB};

  room.run(parse(test::kStudy, {"trials.count=1"}));

  REQUIRE(room.machine.gpu_memory_bytes.size() == 1);  // asked until it was free
  const QueryResult waits =
      room.store.query("SELECT trial_id, value FROM telemetry WHERE name LIKE 'device_memory%'");
  REQUIRE(waits.rows.size() == 1);  // of the second trial alone, and nothing was left
  CHECK(waits.rows[0][0] == Field(std::int64_t{2}));
  CHECK(std::get<double>(waits.rows[0][1]) == Approx(0.2));
}

TEST_CASE("what is never freed is waited for a while, and told", "[run]") {
  test::FakeMachine machine;
  const std::atomic<bool> never{false};
  DeviceMemory memory(0.25);
  machine.gpu_memory_bytes = {kGiB, 3 * kGiB};
  memory.wait(machine, never);
  CHECK(memory.told().empty());

  memory.wait(machine, never);

  const std::vector<TelemetryRow> told = memory.told();
  REQUIRE(told.size() == 2);
  CHECK(told[0].name == "device_memory_wait_s");
  CHECK(told[0].value >= 0.25);
  CHECK(told[1].name == "device_memory_left_bytes");
  CHECK(told[1].value == 2 * kGiB);
}

TEST_CASE("a machine whose GPUs tell nothing, or without any, is not waited for", "[run]") {
  test::FakeMachine machine;
  const std::atomic<bool> never{false};
  DeviceMemory memory;
  memory.wait(machine, never);
  memory.wait(machine, never);
  CHECK(memory.told().empty());
}

TEST_CASE("cells on the CPU alone wait for no GPU", "[run]") {
  Study study;
  Cell cell;
  study.workload = Workload::kTrain;
  cell.effective = effective_parameters(Workload::kTrain, {{"devices", std::int64_t{1}}});
  CHECK_FALSE(may_use_gpu(study, cell));
  cell.effective = effective_parameters(Workload::kTrain, {{"backend", std::string("cuda")}});
  CHECK(may_use_gpu(study, cell));
  study.workload = Workload::kCommand;
  CHECK(may_use_gpu(study, Cell()));
}

// A command whose devices are elsewhere: nothing of this machine is watched or held against it.
#include "tests/run/study_room.h"

using namespace scalestudy;

using test::count;
using test::goes_well;
using test::parse;
using test::Room;

namespace {

const std::string kElsewhere = R"(version: 1
study: fake
workload: command
where: remote
command: ["true", "{devices}"]
axes: {devices: [1, 64]}
steps: {warmup: 1, measured: 2}
trials: {count: 2}
)";

struct BusyRoom : Room {
  explicit BusyRoom() : Room(goes_well) {
    machine.gpu_count = 1;
    machine.gpu_memory_bytes = {1e9};
    machine.readings = {{"gpu0_power_w", 300.0, "W"}};
    machine.calibrations = std::vector<double>(20, 0.01);
    busy_until_s = 1e9;
  }

  std::set<std::string> telemetry_names() {
    std::set<std::string> names;
    for (const auto& [trial, rows] : store.telemetry(store.find_study("fake")->id)) {
      for (const TelemetryRow& row : rows) {
        names.insert(row.name);
      }
    }
    return names;
  }
};

}  // namespace

TEST_CASE("more devices than this machine has are no oversubscription elsewhere", "[run]") {
  BusyRoom room;

  CHECK(count(room.run(parse(kElsewhere)), TrialState::kOk) == 4);

  for (const CellRow& cell : room.store.cells(room.store.find_study("fake")->id)) {
    CHECK_FALSE(cell.oversubscribed);
  }
  for (const TrialRow& trial : room.trials()) {
    CHECK_FALSE(trial.oversubscribed);
    CHECK(trial.hosts.empty());
  }
  BusyRoom here;
  here.run(parse(kElsewhere, {"where=local"}));
  CHECK(here.store.cells(1).back().oversubscribed);
  CHECK(here.trials().front().hosts == "testhost");
}

TEST_CASE("this machine's counters say nothing of devices elsewhere", "[run]") {
  BusyRoom room;

  room.run(parse(kElsewhere));

  CHECK(room.machine.looks == 0);
  CHECK_FALSE(room.trials().front().foreign_load);
  const std::set<std::string> names = room.telemetry_names();
  for (const char* of_here : {"gpu0_power_w",
                              "calibration_before_s",
                              "calibration_after_s",
                              "foreign_load",
                              "cpu_s",
                              "max_rss_bytes"}) {
    CAPTURE(of_here);
    CHECK_FALSE(names.contains(of_here));
  }
  BusyRoom here;
  here.run(parse(kElsewhere, {"where=local"}));
  CHECK(here.telemetry_names().contains("gpu0_power_w"));
  CHECK(here.telemetry_names().contains("calibration_before_s"));
}

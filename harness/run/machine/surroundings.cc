#include "harness/run/machine/surroundings.h"

#include <utility>

#include "harness/run/command/launch_command.h"

namespace scalestudy {

Surroundings::Surroundings(const Study& study, const RunWorld& world)
    : study_(study),
      world_(world),
      gate_(study.validity, world.machine, world.clock, world.sleep) {}

Surroundings::Before Surroundings::before(const TrialRow& trial,
                                          const Cell& cell,
                                          const std::function<void(const std::string& why)>& tell,
                                          const std::atomic<bool>& stop) {
  Before before;
  if (study_.is_remote()) {
    return before;  // this machine computes nothing
  }
  const IdleGate::Wait wait = gate_.wait(may_use_gpu(study_, cell), tell, stop);
  before.busy = wait.busy;
  if (may_use_gpu(study_, cell)) {
    device_memory_.wait(world_.machine, stop);
    before.telemetry = device_memory_.told();
  }
  if (study_.validity.idle_wait() > 0.0) {
    before.telemetry.push_back({"idle_wait_s", wait.waited_s, "s"});
  }
  if (group_ != group_of(trial)) {
    for (TelemetryRow& row : calibrate("calibration_before_s")) {
      before.telemetry.push_back(std::move(row));
    }
  }
  group_ = group_of(trial);
  return before;
}

std::vector<TelemetryRow> Surroundings::after(const TrialRow& trial, const TrialRow* next) {
  const bool is_last = next == nullptr || group_of(*next) != group_of(trial);
  return is_last ? calibrate("calibration_after_s") : std::vector<TelemetryRow>();
}

std::int64_t Surroundings::group_of(const TrialRow& trial) const {
  return study_.order.design == OrderDesign::kBatch ? trial.cell_id : trial.block;
}

std::vector<TelemetryRow> Surroundings::calibrate(const char* name) {
  if (study_.validity.calibration == Calibration::kNone || study_.is_remote()) {
    return {};
  }
  const std::optional<double> time_s = world_.machine.calibrate();
  return time_s ? std::vector<TelemetryRow>{{name, *time_s, "s"}} : std::vector<TelemetryRow>();
}

}  // namespace scalestudy

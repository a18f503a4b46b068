// What is looked at around trials: whether the machine is idle before one, and whether it is still
// the same before and after a block.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/machine/device_memory.h"
#include "harness/run/machine/idle_gate.h"
#include "harness/run/world/world.h"
#include "harness/store/rows/trial_rows.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The looks at the machine in one session.
class Surroundings {
 public:
  Surroundings(const Study& study, const RunWorld& world);

  struct Before {
    std::vector<TelemetryRow> telemetry;  // idle_wait_s, calibration_before_s, DeviceMemory::told()
    std::string busy;                     // IdleGate::Wait::busy
  };
  // Waits until the machine is fit for the trial, and calibrates it before the first of a block.
  Before before(const TrialRow& trial,
                const Cell& cell,
                const std::function<void(const std::string& why)>& tell,
                const std::atomic<bool>& stop);

  // calibration_after_s, when the trial is the last of its block that this session runs; else
  // empty.
  // - next: the trial that comes after it; nullptr: none.
  std::vector<TelemetryRow> after(const TrialRow& trial, const TrialRow* next);

 private:
  // Number of the group of trials that run one after the other: the block, or the cell if the order
  // is batch.
  [[nodiscard]] std::int64_t group_of(const TrialRow& trial) const;
  [[nodiscard]] std::vector<TelemetryRow> calibrate(const char* name);

  const Study& study_;
  const RunWorld& world_;
  IdleGate gate_;
  DeviceMemory device_memory_;
  std::optional<std::int64_t> group_;  // group of the trial before
};

}  // namespace scalestudy

// Before a trial on GPUs: whether what the last one used of their memory is free again.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// The driver may free the memory of a process some time after its end.
class DeviceMemory {
 public:
  // patience_s  of one wait, at most.
  explicit DeviceMemory(double patience_s = 30.0) : patience_s_(patience_s) {}

  // Waits until no GPU has more memory in use than it had least so far, but for 64 MiB. Returns at
  // once on a machine whose GPUs do not tell, or without any.
  void wait(Machine& machine, const std::atomic<bool>& stop);

  // Of the last wait: how long it was, "device_memory_wait_s", and how much more was in use at its
  // end, "device_memory_left_bytes"; nothing where there was none.
  [[nodiscard]] std::vector<TelemetryRow> told() const;

 private:
  double patience_s_;
  std::vector<double> least_bytes_;  // by GPU
  double waited_s_ = 0.0;
  double left_bytes_ = 0.0;
};

}  // namespace scalestudy

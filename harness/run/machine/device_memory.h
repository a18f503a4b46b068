// Before a trial on GPUs: whether what the last one used of their memory is free again.
#pragma once

#include <atomic>
#include <vector>

#include "harness/host/machine.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// Waits for GPU memory between trials: the driver may free the memory of a process some time after
// its end.
class DeviceMemory {
 public:
  // - patience_s: seconds that one wait may take.
  explicit DeviceMemory(double patience_s = 30.0) : patience_s_(patience_s) {}

  // Waits until each GPU has at most 64 MiB more memory in use than the least seen of it so far.
  // Returns at once on a machine without GPUs, or whose GPUs do not tell.
  void wait(Machine& machine, const std::atomic<bool>& stop);

  // The last wait as telemetry: its length, "device_memory_wait_s", and, over 64 MiB, the memory
  // that was still in use at its end, "device_memory_left_bytes". Empty when there was no wait.
  [[nodiscard]] std::vector<TelemetryRow> told() const;

 private:
  double patience_s_;
  std::vector<double> least_bytes_;  // least memory in use seen so far, by GPU
  double waited_s_ = 0.0;
  double left_bytes_ = 0.0;
};

}  // namespace scalestudy

#include "harness/run/machine/device_memory.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace scalestudy {
namespace {

constexpr double kSlack_bytes = 64.0 * 1024 * 1024;
constexpr double kPause_s = 0.1;

}  // namespace

void DeviceMemory::wait(Machine& machine, const std::atomic<bool>& stop) {
  waited_s_ = 0.0;
  for (;; waited_s_ += kPause_s) {
    const std::vector<double> used_bytes = machine.gpu_memory_used_bytes();
    if (least_bytes_.size() != used_bytes.size()) {
      least_bytes_ = used_bytes;
    }
    left_bytes_ = 0.0;
    for (std::size_t gpu = 0; gpu < used_bytes.size(); ++gpu) {
      least_bytes_[gpu] = std::min(least_bytes_[gpu], used_bytes[gpu]);
      left_bytes_ = std::max(left_bytes_, used_bytes[gpu] - least_bytes_[gpu]);
    }
    if (left_bytes_ <= kSlack_bytes || waited_s_ >= patience_s_ || stop.load()) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(kPause_s));
  }
}

std::vector<TelemetryRow> DeviceMemory::told() const {
  if (waited_s_ == 0.0) {
    return {};
  }
  std::vector<TelemetryRow> rows{{"device_memory_wait_s", waited_s_, "s"}};
  if (left_bytes_ > kSlack_bytes) {
    rows.push_back({"device_memory_left_bytes", left_bytes_, "bytes"});
  }
  return rows;
}

}  // namespace scalestudy

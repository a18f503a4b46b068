// The losses of a run's steps, in the device's memory.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "workloads/device/arena.h"
#include "workloads/train/times/step_timer.h"

namespace scalestudy::train {

// Main thread only.
class Losses {
 public:
  // `arena`, and the device it is on, outlive this.
  Losses(device::Arena& arena, std::size_t steps)
      : device_(arena.device()), values_(arena.take<double>(steps)) {}

  // One loss for each step, in device memory.
  std::span<double> values() const { return values_; }

  // The first step whose loss is known not to be finite.
  std::optional<std::size_t> diverged_step() const { return diverged_step_; }

  // Call it when `count` steps have been queued: checks the losses of past steps, kStepsInFlight at
  // a time.
  void look(std::size_t count) {
    constexpr std::size_t block = StepTimer::kStepsInFlight;
    const std::size_t in_flight = device_.is_host_memory() ? 0 : block;
    if (diverged_step_ || count % block != 0 || count < in_flight + block) {
      return;
    }
    const std::size_t begin = count - in_flight - block;
    std::array<double, block> losses{};
    device_.copy_past_to_host(losses.data(), &values_[begin], sizeof(losses));
    const auto* bad = std::find_if_not(
        losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); });
    if (bad != losses.end()) {
      diverged_step_ = begin + static_cast<std::size_t>(bad - losses.begin());
    }
  }

  // Writes the losses, each divided by `parts`, to the steps' times. Waits for queued work.
  void write_to(RankSteps& steps, std::size_t parts) const {
    std::vector<double> losses(values_.size());
    device_.copy_to_host(losses.data(), values_.data(), values_.size_bytes());
    for (std::size_t i = 0; i < steps.times.size(); ++i) {
      steps.times[i][kLoss] = losses[i] / static_cast<double>(parts);
    }
  }

 private:
  device::Device& device_;
  std::span<double> values_;
  std::optional<std::size_t> diverged_step_;
};

}  // namespace scalestudy::train

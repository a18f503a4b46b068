// Dynamic loss scaling: keeps fp16 gradients above the smallest number the type can hold.
#pragma once

#include <cstdint>

#include "workloads/device/host_device.h"

namespace scalestudy::ops {

// The state of loss scaling, one for a run, in device memory. The loss gradient is multiplied by
// `scale`, the update divides summed gradients by it, and a step whose gradients are not all finite
// changes only the scale. Source of method and constants: Micikevicius et al., ICLR 2018, section
// 3.2; PyTorch's torch.amp.GradScaler.
struct LossScale {
  float scale = 65536.0F;
  std::int32_t good_steps = 0;      // since the scale last changed
  std::int32_t has_overflowed = 0;  // this step's gradients are not all finite
  std::int32_t updates = 0;         // steps of the run that changed the weights

  static constexpr std::int32_t kGrowthInterval = 2000;

  // Moves on to the next step, after every update: halves the scale after an overflow, doubles it
  // after kGrowthInterval steps without one.
  SCALESTUDY_HOST_DEVICE inline void advance() {
    if (has_overflowed != 0) {
      scale *= 0.5F;
      good_steps = 0;
    } else {
      ++updates;
      if (++good_steps == kGrowthInterval) {
        scale *= 2.0F;
        good_steps = 0;
      }
    }
    has_overflowed = 0;
  }
};

}  // namespace scalestudy::ops

// Pinned memory of the host: GPUs copy from and to it without an extra copy on the way.
#pragma once

#include <memory>

#include "workloads/device/device.h"

namespace scalestudy::device {

// A device whose memory is pinned. It copies like the CPU's own memory and takes no times: marks
// are defects (std::logic_error). CUDA module only.
std::unique_ptr<Device> make_pinned_memory();

}  // namespace scalestudy::device

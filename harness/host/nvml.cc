#include "harness/host/nvml.h"

namespace scalestudy {

Nvml::Nvml(const std::string& library) : library_(library) {
  auto* init = library_.find<int()>("nvmlInit_v2");
  auto* get_handle = library_.find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
  is_open_ = init != nullptr && init() == kNvmlSuccess;
  if (!is_open_ || get_handle == nullptr) {
    return;
  }
  const unsigned count = ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    devices_.push_back(get_handle(index, &device) == kNvmlSuccess ? device : nullptr);
  }
}

Nvml::~Nvml() {
  auto* shut_down = library_.find<int()>("nvmlShutdown");
  if (is_open_ && shut_down != nullptr) {
    shut_down();
  }
}

bool Nvml::can(Device a, Device b, int capability) const {
  constexpr int ok = 0;  // nvmlGpuP2PStatus_t
  return ask<int>("nvmlDeviceGetP2PStatus", a, b, capability) == ok;
}

}  // namespace scalestudy

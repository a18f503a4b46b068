// What joins each two GPUs of this machine, by NVML.
#pragma once

#include <map>
#include <vector>

#include "harness/base/device_link.h"
#include "harness/host/nvml.h"

namespace scalestudy {

// The link of each pair, by indices in `devices`. NVLink if it joins the two: as
// many links as lead from one to the other, or to a switch, at the speed that NVML tells for one.
// Otherwise the PCI Express link of the slower GPU, by way of the host if neither reads the other's
// memory. A pair of which NVML tells nothing is left out.
std::map<DevicePair, DeviceLink> read_gpu_links(const Nvml& nvml,
                                                const std::vector<Nvml::Device>& devices);

}  // namespace scalestudy

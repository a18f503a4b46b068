// What joins each two GPUs of this machine, by NVML.
#pragma once

#include <map>
#include <vector>

#include "harness/base/device_link.h"
#include "harness/host/shared_library.h"

namespace scalestudy {

// Of each pair, by index in `devices` (NVML's handles). NVLink where it joins the two: as many
// links as lead from one to the other, or to a switch, at the speed that NVML tells of one. Else
// the PCI Express link of the slower one, by way of the host where neither reads the other's
// memory. A pair of which NVML tells nothing is left out.
std::map<DevicePair, DeviceLink> read_gpu_links(const SharedLibrary& nvml,
                                                const std::vector<void*>& devices);

}  // namespace scalestudy

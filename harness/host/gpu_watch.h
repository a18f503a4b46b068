// NVIDIA GPUs while a trial runs, through NVML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/host/nvml.h"

namespace scalestudy {

struct VisibleGpu {
  std::string uuid;  // "GPU-6f1c..."
  std::optional<double> memory_used_bytes;
};

// The GPUs that a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all). Its entries
// are indices in NVML's order or beginnings of uuids; the list ends at the first that is neither.
// For a part of a GPU (MIG), whose GPU is not known, all GPUs of NVML are taken.
std::vector<VisibleGpu> visible_gpus(const Nvml& nvml,
                                     const std::optional<std::string>& visible_devices);

// Watches each GPU. Readings begin with "gpu0_", by NVML's index. A GPU may not tell all of them.
// - sm_clock_hz, power_w: means over the looks.
// - utilization: mean over the looks of the share of time in which a kernel ran, as NVML samples
//   it.
// - temperature_c, memory_used_bytes: the largest of the looks.
// - memory_share: the largest share of the GPU's memory in use.
// - throttled: share of the looks in which heat or the power supply slowed its clocks.
// - power_capped: share of the looks in which its power limit slowed its clocks.
// - energy_j: energy used meanwhile.
class GpuWatch {
 public:
  explicit GpuWatch(Nvml* nvml);  // nullptr: no GPUs

  void look();
  [[nodiscard]] std::vector<Reading> end() const;

  // Energy that each GPU has used since the driver was loaded; below 0: not told.
  [[nodiscard]] std::vector<double> energies_j() const;

 private:
  struct Seen {
    double sum = 0.0;
    double largest = 0.0;
    std::int64_t looks = 0;

    void add(double value);
  };
  struct Gpu {
    Nvml::Device device = nullptr;
    double energy_before_j = -1.0;  // below 0: not told
    Seen clock_hz;
    Seen power_w;
    Seen utilization;
    Seen temperature_c;
    Seen memory_bytes;
    Seen memory_share;
    Seen throttled;
    Seen power_capped;
  };

  Nvml* nvml_;
  std::vector<Gpu> gpus_;
};

}  // namespace scalestudy

// NVIDIA GPUs while a trial runs, through NVML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/host/shared_library.h"

namespace scalestudy {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// NVML of this machine; without it, or without a driver, there is no device.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  using Device = void*;
  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] const SharedLibrary& library() const { return library_; }

 private:
  SharedLibrary library_;
  bool is_open_ = false;
  std::vector<Device> devices_;
};

struct VisibleGpu {
  std::string uuid;  // "GPU-6f1c..."
  std::optional<double> memory_used_bytes;
};

// Those that a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all), by indices in
// NVML's order or beginnings of uuids; the list ends at the first entry that is none. A part of a
// GPU (MIG) counts as the whole GPU's, which nobody knows: all that NVML shows are taken.
std::vector<VisibleGpu> visible_gpus(const Nvml& nvml,
                                     const std::optional<std::string>& visible_devices);

// Readings of each GPU, "gpu0_..." by NVML's index; what a GPU does not tell is left out:
//   sm_clock_hz, power_w, utilization  means over the looks (utilization: share of time in which a
//                    kernel ran, as NVML samples it)
//   temperature_c, memory_used_bytes   the largest
//   memory_share     the largest, of its memory
//   throttled        share of the looks in which heat or the power supply slowed its clocks
//   power_capped     likewise the power limit it is set to
//   energy_j         used
class GpuWatch {
 public:
  explicit GpuWatch(Nvml* nvml);  // nullptr: no GPUs

  void look();
  [[nodiscard]] std::vector<Reading> end() const;

  // Used by each since the driver was loaded; below 0: not told.
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

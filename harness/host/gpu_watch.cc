#include "harness/host/gpu_watch.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

constexpr int kClockSm = 1;         // nvmlClockType_t
constexpr int kTemperatureGpu = 0;  // nvmlTemperatureSensors_t
// nvmlClocksThrottleReasons: hardware, heat by software, heat by hardware, power brake.
constexpr unsigned long long kThrottled = 0x08U | 0x20U | 0x40U | 0x80U;
constexpr unsigned long long kPowerCapped = 0x04U;

struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

struct Utilization {
  unsigned gpu = 0;  // percent
  unsigned memory = 0;
};

std::optional<double> energy_j(const Nvml& nvml, Nvml::Device device) {
  const auto energy_mj =
      nvml.ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", device);
  return energy_mj ? std::optional(static_cast<double>(*energy_mj) / 1e3) : std::nullopt;
}

}  // namespace

std::vector<VisibleGpu> visible_gpus(const Nvml& nvml,
                                     const std::optional<std::string>& visible_devices) {
  std::vector<VisibleGpu> all;
  for (Nvml::Device device : nvml.devices()) {
    const auto uuid = device == nullptr ? std::nullopt : nvml.text("nvmlDeviceGetUUID", device);
    if (!uuid) {
      return {};  // indices would not be those of the list
    }
    const auto memory = nvml.ask<Memory>("nvmlDeviceGetMemoryInfo", device);
    all.push_back(
        {*uuid, memory ? std::optional(static_cast<double>(memory->used)) : std::nullopt});
  }
  if (!visible_devices || visible_devices->starts_with("MIG-")) {
    return all;
  }
  std::vector<VisibleGpu> visible;
  std::istringstream entries(*visible_devices);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto index = parse_whole<std::size_t>(entry);
    const auto named = std::ranges::find_if(all, [&](const VisibleGpu& gpu) {
      return entry.starts_with("GPU-") && gpu.uuid.starts_with(entry);
    });
    if (named != all.end()) {
      visible.push_back(*named);
    } else if (index && *index < all.size()) {
      visible.push_back(all[*index]);
    } else {
      break;
    }
  }
  return visible;
}

void GpuWatch::Seen::add(double value) {
  sum += value;
  largest = looks == 0 ? value : std::max(largest, value);
  ++looks;
}

GpuWatch::GpuWatch(Nvml* nvml) : nvml_(nvml) {
  if (nvml_ == nullptr) {
    return;
  }
  for (Nvml::Device device : nvml_->devices()) {
    Gpu gpu;
    gpu.device = device;
    if (device != nullptr) {
      gpu.energy_before_j = energy_j(*nvml_, device).value_or(-1.0);
    }
    gpus_.push_back(gpu);
  }
}

void GpuWatch::look() {
  for (Gpu& gpu : gpus_) {
    if (gpu.device == nullptr) {
      continue;
    }
    if (const auto mhz = nvml_->ask<unsigned>("nvmlDeviceGetClockInfo", gpu.device, kClockSm)) {
      gpu.clock_hz.add(1e6 * *mhz);
    }
    if (const auto milliwatts = nvml_->ask<unsigned>("nvmlDeviceGetPowerUsage", gpu.device)) {
      gpu.power_w.add(*milliwatts / 1e3);
    }
    if (const auto degrees =
            nvml_->ask<unsigned>("nvmlDeviceGetTemperature", gpu.device, kTemperatureGpu)) {
      gpu.temperature_c.add(*degrees);
    }
    if (const auto used = nvml_->ask<Utilization>("nvmlDeviceGetUtilizationRates", gpu.device)) {
      gpu.utilization.add(used->gpu / 100.0);
    }
    if (const auto memory = nvml_->ask<Memory>("nvmlDeviceGetMemoryInfo", gpu.device)) {
      gpu.memory_bytes.add(static_cast<double>(memory->used));
      if (memory->total > 0) {
        gpu.memory_share.add(static_cast<double>(memory->used) /
                             static_cast<double>(memory->total));
      }
    }
    if (const auto reasons = nvml_->ask<unsigned long long>(
            "nvmlDeviceGetCurrentClocksThrottleReasons", gpu.device)) {
      gpu.throttled.add((*reasons & kThrottled) != 0 ? 1.0 : 0.0);
      gpu.power_capped.add((*reasons & kPowerCapped) != 0 ? 1.0 : 0.0);
    }
  }
}

std::vector<double> GpuWatch::energies_j() const {
  std::vector<double> energies_j;
  for (const Gpu& gpu : gpus_) {
    energies_j.push_back(gpu.energy_before_j < 0.0 ? -1.0
                                                   : energy_j(*nvml_, gpu.device).value_or(-1.0));
  }
  return energies_j;
}

std::vector<Reading> GpuWatch::end() const {
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const Gpu& gpu = gpus_[i];
    const std::string prefix = "gpu" + std::to_string(i) + "_";
    const auto put = [&](const char* name, const Seen& seen, bool is_mean, const char* unit) {
      if (seen.looks > 0) {
        readings.push_back({prefix + name,
                            is_mean ? seen.sum / static_cast<double>(seen.looks) : seen.largest,
                            unit});
      }
    };
    put("sm_clock_hz", gpu.clock_hz, true, "Hz");
    put("power_w", gpu.power_w, true, "W");
    put("temperature_c", gpu.temperature_c, false, "degrees Celsius");
    put("utilization", gpu.utilization, true, "1");
    put("memory_used_bytes", gpu.memory_bytes, false, "bytes");
    put("memory_share", gpu.memory_share, false, "1");
    put("throttled", gpu.throttled, true, "1");
    put("power_capped", gpu.power_capped, true, "1");
    const auto after_j = gpu.energy_before_j < 0.0 ? std::nullopt : energy_j(*nvml_, gpu.device);
    if (after_j) {
      readings.push_back({prefix + "energy_j", *after_j - gpu.energy_before_j, "J"});
    }
  }
  return readings;
}

}  // namespace scalestudy

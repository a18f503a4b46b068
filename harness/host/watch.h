// What the machine did while a trial ran: counters before and after, and what shows only meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/gpu_watch.h"
#include "harness/host/links.h"
#include "harness/host/machine.h"

namespace scalestudy {

// Watches this machine. Readings are about the whole machine unless the list says otherwise; what
// the machine does not tell is left out.
// - cpu_pressure, memory_pressure, io_pressure: share of the time in which some task waited for it
//   (the kernel's pressure stall information).
// - cpu_frequency_hz: mean over this process's CPUs and the looks.
// - cpu_throttle_events: how often heat slowed a core.
// - cpu_throttled: share of the time in which heat slowed the core that it slowed longest.
// - cpu_system_s: CPU time of the kernel on this process's CPUs, for any process.
// - cpu_energy_j, cpu_power_w: energy and power of the packages (RAPL, if it may be read).
// - network_sent_bytes, network_received_bytes: over all interfaces but loopback.
// - network_eth0_sent_bytes, network_eth0_received_bytes, network_eth0_share, and so
//   infiniband_mlx5_0_1_...: of each interface and port (links.h).
// - gpu0_...: GpuWatch's.
class SystemWatch final : public MachineWatch {
 public:
  // Watches from now on, with a look at most once a second.
  // - gpus: nullptr: no GPUs.
  // - clock: outlives this.
  SystemWatch(std::filesystem::path root, std::vector<int> cpus, Nvml* gpus, const Clock& clock);

  void look() override;
  std::vector<Reading> end() override;

  // Gives measured_cpu_energy_j, measured_gpu0_energy_j, and for each link
  // measured_network_eth0_..., named as above.
  std::vector<Reading> between(double from_s, double until_s) const override;

 private:
  // Counters at one moment.
  struct Look {
    double at_s = 0.0;
    std::vector<Link> links;
    std::vector<Package> packages;
    std::vector<double> gpu_energies_j;  // by NVML's index; below 0: not told
  };

  // Counts since boot, by the name of the reading; seconds for readings that are shares.
  using Counters = std::map<std::string, double>;
  [[nodiscard]] Counters read_counters() const;
  [[nodiscard]] std::map<int, double> read_throttled_s() const;
  void add_links(double elapsed_s, std::vector<Reading>& readings) const;
  void keep_look(double now_s);
  // As they are now, counted on from the last look that was kept.
  [[nodiscard]] std::vector<Package> next_packages() const;

  std::filesystem::path root_;
  std::vector<int> cpus_;
  GpuWatch gpus_;
  const Clock& clock_;
  double started_s_;
  double looked_s_ = 0.0;  // time of the last look
  double keep_every_s_ = 0.0;
  std::vector<Look> looks_;  // in order; some hundreds at most
  Counters before_;
  std::map<int, double> throttled_s_;  // time slowed by heat since boot, by CPU
  std::vector<Link> links_;
  std::vector<Package> packages_;
  double frequency_sum_hz_ = 0.0;
  std::int64_t frequencies_ = 0;
};

}  // namespace scalestudy

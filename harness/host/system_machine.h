// The machine this program runs on.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/gpu_watch.h"
#include "harness/host/machine.h"

namespace scalestudy {

// The real machine. For one thread at a time.
class SystemMachine final : public Machine {
 public:
  // - root: where proc/, sys/ and etc/ are looked for; tests give a folder of their own.
  // - nvml: the library that tells of GPUs while trials run; tests give a stub.
  explicit SystemMachine(std::filesystem::path root = "/", std::string nvml = kNvmlLibrary)
      : root_(std::move(root)), nvml_library_(std::move(nvml)) {}

  std::string host_name() override;
  std::int64_t cores() override;
  bool has_bf16_cores() override;
  std::int64_t gpus() override;
  std::vector<std::string> cpu_names() override;
  std::vector<std::string> gpu_names() override;
  std::vector<double> gpu_memory_used_bytes() override;
  CpuTimes cpu_times() override;
  std::optional<std::int64_t> oom_kills() override;
  std::unique_ptr<MachineWatch> watch() override;
  std::map<int, ProcessTime> processes() override;
  std::optional<double> calibrate() override;

  // The facts that can be had, in this order: cpu_model, cores, hardware_threads, cpu_limit,
  // memory_bytes, memory_limit_bytes, governor, hypervisor, container, numa_nodes, numa_cpus,
  // caches, kernel, os, mpi, onednn, compiler, compiler_flags, preset, cuda_build, tool_version,
  // tool_revision, gpu_count, gpu_model, gpu_links, gpu_link_rates, gpu_pcie, gpu_numa, driver,
  // cuda_driver, nccl, cuda_visible_devices. Nothing else of the machine or its environment
  // variables is read.
  std::vector<std::pair<std::string, std::string>> environment() override;

 private:
  Nvml& nvml();

  std::filesystem::path root_;
  std::string nvml_library_;
  SystemClock clock_;
  std::unique_ptr<Nvml> nvml_;  // opened when it is first needed, since that takes time
};

// Physical cores among `cpus` (logical ones), by the topology below `root`/sys; a CPU whose
// siblings are not known counts as a core.
std::int64_t physical_cores(const std::vector<int>& cpus, const std::filesystem::path& root);

// The number of CPUs that this process's cgroups allow it (v2 and v1, the tightest of the path);
// absent: no limit.
std::optional<double> cpu_limit(const std::filesystem::path& root);

// The bytes of memory that this process's cgroups allow it (v2 and v1, the tightest of the path);
// absent: no limit.
std::optional<double> memory_limit_bytes(const std::filesystem::path& root);

}  // namespace scalestudy

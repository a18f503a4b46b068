#include "harness/host/system_machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include <sched.h>
#include <unistd.h>

#include "harness/base/read_file.h"
#include "harness/host/calibration.h"
#include "harness/host/gpu_facts.h"
#include "harness/host/proc_text.h"
#include "harness/host/watch.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

std::optional<std::string> cuda_visible_devices() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? std::nullopt : std::optional<std::string>(visible);
}

}  // namespace

std::int64_t physical_cores(const std::vector<int>& cpus, const fs::path& root) {
  std::set<int> cores;  // each by its first hardware thread
  for (const int cpu : cpus) {
    const fs::path file = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                          "topology/thread_siblings_list";
    const std::vector<int> siblings = parse_cpu_list(read_system_file(file));
    cores.insert(siblings.empty() ? cpu : siblings.front());
  }
  return static_cast<std::int64_t>(cores.size());
}

std::string SystemMachine::host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::int64_t SystemMachine::cores() {
  std::int64_t cores = physical_cores(own_cpus(), root_);
  if (const auto limit = cpu_limit(root_)) {
    cores = std::min(cores, static_cast<std::int64_t>(std::floor(*limit)));
  }
  return std::max<std::int64_t>(cores, 1);
}

bool SystemMachine::has_bf16_cores() {
  const std::string flags =
      " " + find_value(read_system_file(root_ / "proc/cpuinfo"), "flags").value_or("") + " ";
  return flags.find(" avx512_bf16 ") != std::string::npos ||
         flags.find(" amx_bf16 ") != std::string::npos;
}

std::int64_t SystemMachine::gpus() {
  const auto facts = read_gpus();
  return visible_gpus(facts ? facts->count : 0, cuda_visible_devices());
}

CpuTimes SystemMachine::cpu_times() {
  return parse_cpu_times(
      read_system_file(root_ / "proc/stat"), own_cpus(), static_cast<double>(sysconf(_SC_CLK_TCK)));
}

std::map<int, ProcessTime> SystemMachine::processes() {
  std::map<int, ProcessTime> processes;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "proc", error)) {
    const std::string name = entry.path().filename();
    int id = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data(), end, id).ptr != end) {
      continue;
    }
    if (auto process = parse_process(read_system_file(entry.path() / "stat"),
                                     static_cast<double>(sysconf(_SC_CLK_TCK)))) {
      processes.emplace(id, std::move(*process));
    }
  }
  return processes;
}

std::optional<double> SystemMachine::calibrate() {
  std::vector<int> cpus;  // the first hardware thread of each core
  for (const int cpu : own_cpus()) {
    std::vector<int> with = cpus;
    with.push_back(cpu);
    if (std::ssize(cpus) < cores() && physical_cores(with, root_) == std::ssize(with)) {
      cpus = std::move(with);
    }
  }
  return time_product(cpus);
}

Nvml& SystemMachine::nvml() {
  if (nvml_ == nullptr) {
    nvml_ = std::make_unique<Nvml>(nvml_library_);
  }
  return *nvml_;
}

std::vector<std::string> SystemMachine::cpu_names() {
  std::vector<std::string> names;
  for (const int cpu : own_cpus()) {
    names.push_back("cpu-" + std::to_string(cpu));
  }
  return names;
}

std::vector<std::string> SystemMachine::gpu_names() {
  std::vector<std::string> names;
  for (const VisibleGpu& gpu : visible_gpus(nvml(), cuda_visible_devices())) {
    names.push_back("gpu-" + gpu.uuid);
  }
  return names;
}

std::vector<double> SystemMachine::gpu_memory_used_bytes() {
  std::vector<double> used_bytes;
  for (const VisibleGpu& gpu : visible_gpus(nvml(), cuda_visible_devices())) {
    if (gpu.memory_used_bytes) {
      used_bytes.push_back(*gpu.memory_used_bytes);
    }
  }
  return used_bytes;
}

std::unique_ptr<MachineWatch> SystemMachine::watch() {
  return std::make_unique<SystemWatch>(root_, own_cpus(), &nvml(), clock_);
}

}  // namespace scalestudy

// What stands in every session about the machine and the software.
#include <cstdlib>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include "harness/base/build_info.h"
#include "harness/base/read_file.h"
#include "harness/base/tool.h"
#include "harness/host/gpu_facts.h"
#include "harness/host/proc_text.h"
#include "harness/host/shared_library.h"
#include "harness/host/system_machine.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

void add(Facts& facts, const std::string& name, const std::optional<std::string>& value) {
  if (value && !value->empty()) {
    facts.emplace_back(name, *value);
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// oneDNN's C interface, declared by hand: the harness is built without it.
std::optional<std::string> onednn_version() {
  struct Version {
    int major;
    int minor;
    int patch;
  };
  for (const char* name : {"libdnnl.so.2", "libdnnl.so.3"}) {
    const SharedLibrary library(name);
    if (auto* version = library.find<const Version*()>("dnnl_version")) {
      const Version* found = version();
      return fmt::format("{}.{}.{}", found->major, found->minor, found->patch);
    }
  }
  return std::nullopt;
}

std::optional<std::string> nccl_version() {
  const SharedLibrary library("libnccl.so.2");
  int version = 0;
  auto* get_version = library.find<int(int*)>("ncclGetVersion");
  if (get_version == nullptr || get_version(&version) != 0) {
    return std::nullopt;
  }
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::optional<std::string> container_hint(const fs::path& root) {
  std::error_code ignored;
  if (fs::exists(root / ".dockerenv", ignored)) {
    return "docker";
  }
  if (fs::exists(root / "run/.containerenv", ignored)) {
    return "podman";
  }
  const std::string groups = read_system_file(root / "proc/self/cgroup");
  for (const char* word : {"docker", "kubepods", "lxc", "containerd"}) {
    if (groups.find(word) != std::string::npos) {
      return word;
    }
  }
  return std::nullopt;
}

// Caches of core 0 ("L3: 32768K, cores 0-1"), the numbers of the NUMA nodes ("0-3") and their CPUs
// ("node 0: 0-1; node 1: 2-3"; of a node without CPUs nothing).
void add_memory_topology(Facts& facts, const fs::path& root) {
  add(facts, "numa_nodes", first_line(read_system_file(root / "sys/devices/system/node/online")));
  std::vector<std::string> nodes;
  constexpr int most_nodes = 64;
  for (int node = 0; node < most_nodes; ++node) {
    const std::string cpus = first_line(
        read_system_file(root / fmt::format("sys/devices/system/node/node{}/cpulist", node)));
    if (!cpus.empty()) {
      nodes.push_back(fmt::format("node {}: {}", node, cpus));
    }
  }
  add(facts, "numa_cpus", join(nodes, "; "));
  std::vector<std::string> caches;
  constexpr int most = 8;  // levels and types
  for (int index = 0; index < most; ++index) {
    const fs::path cache =
        root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    const std::string size = first_line(read_system_file(cache / "size"));
    const std::string type = first_line(read_system_file(cache / "type"));
    if (!size.empty() && type != "Instruction") {
      caches.push_back(fmt::format("L{}: {}, cores {}",
                                   first_line(read_system_file(cache / "level")),
                                   size,
                                   first_line(read_system_file(cache / "shared_cpu_list"))));
    }
  }
  add(facts, "caches", join(caches, "; "));
}

void add_processor(Facts& facts, const fs::path& root, std::int64_t cores) {
  const std::string cpuinfo = read_system_file(root / "proc/cpuinfo");
  add(facts, "cpu_model", find_value(cpuinfo, "model name"));
  add(facts, "cores", std::to_string(cores));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    add(facts, "hardware_threads", std::to_string(CPU_COUNT(&set)));
  }
  if (const auto limit = cpu_limit(root)) {
    add(facts, "cpu_limit", fmt::format("{:g}", *limit));
  }
  const std::string meminfo = read_system_file(root / "proc/meminfo");
  if (const auto total = find_value(meminfo, "MemTotal")) {  // "24576000 kB"
    add(facts, "memory_bytes", fmt::format("{}", 1024 * std::strtoll(total->c_str(), nullptr, 10)));
  }
  if (const auto limit = memory_limit_bytes(root)) {
    add(facts, "memory_limit_bytes", fmt::format("{:.0f}", *limit));
  }
  add(facts,
      "governor",
      first_line(read_system_file(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")));
  const std::string flags = find_value(cpuinfo, "flags").value_or("");
  if ((" " + flags + " ").find(" hypervisor ") != std::string::npos) {
    const std::string vendor = first_line(read_system_file(root / "sys/class/dmi/id/sys_vendor"));
    add(facts, "hypervisor", vendor.empty() ? "yes" : vendor);
  }
  add(facts, "container", container_hint(root));
  add_memory_topology(facts, root);
}

void add_software(Facts& facts, const fs::path& root) {
  utsname system{};
  if (uname(&system) == 0) {
    add(facts, "kernel", std::string(system.sysname) + " " + system.release);
  }
  add(facts, "os", find_value(read_system_file(root / "etc/os-release"), "PRETTY_NAME"));
  add(facts, "mpi", first_line(run_tool({"mpirun", "--version"}).output));
  add(facts, "onednn", onednn_version());
  const BuildInfo build = build_info();
  add(facts, "compiler", build.compiler);
  add(facts, "compiler_flags", build.flags);
  add(facts, "preset", build.preset);
  add(facts, "cuda_build", build.cuda);
  add(facts, "tool_version", build.version);
  add(facts, "tool_revision", build.revision);
}

// One model named once with its number: "2 x NVIDIA H100 80GB HBM3".
std::string format_models(const std::vector<std::string>& models) {
  std::string text;
  for (std::size_t begin = 0; begin < models.size();) {
    std::size_t end = begin;
    while (end < models.size() && models[end] == models[begin]) {
      ++end;
    }
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", end - begin, models[begin]);
    begin = end;
  }
  return text;
}

void add_gpus(Facts& facts) {
  const auto gpus = read_gpus();
  if (!gpus) {
    return;
  }
  add(facts, "gpu_count", std::to_string(gpus->count));
  add(facts, "gpu_model", format_models(gpus->models));
  add(facts, "gpu_links", gpus->links);
  add(facts, "gpu_link_rates", gpus->link_rates);
  add(facts, "gpu_pcie", gpus->pcie);
  add(facts, "gpu_numa", gpus->numa);
  add(facts, "driver", gpus->driver);
  add(facts, "cuda_driver", gpus->cuda_driver);
  add(facts, "nccl", nccl_version());
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    add(facts, "cuda_visible_devices", visible);
  }
}

}  // namespace

Facts SystemMachine::environment() {
  Facts facts;
  add_processor(facts, root_, cores());
  add_software(facts, root_);
  add_gpus(facts);
  return facts;
}

}  // namespace scalestudy

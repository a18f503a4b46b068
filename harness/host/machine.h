// Seam to the machine: what it is, and how busy others keep it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace scalestudy {

// CPU time since boot in seconds over the CPUs that this process, and so its trials, may use.
struct CpuTimes {
  double busy_s = 0.0;     // user, nice, system, irq, softirq
  double steal_s = 0.0;    // time that the hypervisor gave to others
  double system_s = 0.0;   // the kernel's part of busy_s: system, irq, softirq
  double softirq_s = 0.0;  // the part of system_s that interrupts leave for later: packets, timers
};

// CPU time that a process has used so far.
struct ProcessTime {
  std::string name;  // name of its program, as the kernel cuts it
  double cpu_s = 0.0;
};

// A number about the machine over the time of a trial, which becomes telemetry of that name.
struct Reading {
  std::string name;
  double value = 0.0;
  std::string unit;
};

// Watches the machine from its construction on.
class MachineWatch {
 public:
  MachineWatch() = default;
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;
  virtual ~MachineWatch() = default;

  // Reads what shows only while it lasts: clocks, temperatures. May be called at any rate.
  virtual void look() = 0;

  // The readings of the whole time; called once.
  virtual std::vector<Reading> end() = 0;

  // What counters counted between the first and the last look within these times of the monotonic
  // clock: "measured_NAME" for each counter, and "measured_s", the time between the two looks.
  // Empty with fewer than two looks.
  virtual std::vector<Reading> between(double from_s, double until_s) const = 0;
};

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  virtual std::string host_name() = 0;

  // Physical cores this process may use (affinity and cgroup limit respected), >= 1. Hardware
  // threads of one core count once: mpirun's slots and bindings count so, too.
  virtual std::int64_t cores() = 0;

  // Whether its cores multiply bf16 (AVX-512 BF16 or AMX).
  virtual bool has_bf16_cores() = 0;

  // CUDA devices a trial may use; 0 without a driver.
  virtual std::int64_t gpus() = 0;

  // Names of the CPUs that this process may use and of the GPUs that a trial may use, unique on
  // this machine: "cpu-3", "gpu-GPU-6f1c...". No GPU names if NVML tells nothing.
  virtual std::vector<std::string> cpu_names() = 0;
  virtual std::vector<std::string> gpu_names() = 0;

  // Memory in use on each GPU that a trial may use; empty if NVML does not tell.
  virtual std::vector<double> gpu_memory_used_bytes() = 0;

  // CPU time so far. What runs on other CPUs of the machine is not in it.
  virtual CpuTimes cpu_times() = 0;

  // How often the kernel's out-of-memory killer has struck this cgroup (else this machine) so far;
  // absent when it does not say.
  virtual std::optional<std::int64_t> oom_kills() = 0;

  // A watch for one trial, from now on.
  virtual std::unique_ptr<MachineWatch> watch() = 0;

  // CPU time of every process that can be seen, by process id.
  virtual std::map<int, ProcessTime> processes() = 0;

  // Times a fixed product, the same in every build, on all cores at once: what the slowest of them
  // took, in s (about 0.05); absent where no process can be started.
  virtual std::optional<double> calibrate() = 0;

  // Facts by allowlist, in a stable order: cpu_model, cores, memory_bytes, governor, kernel, os,
  // mpi, onednn, compiler, tool_revision, gpu_model, driver, nccl ... A fact that cannot be had is
  // left out.
  virtual std::vector<std::pair<std::string, std::string>> environment() = 0;
};

}  // namespace scalestudy

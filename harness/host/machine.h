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
  double busy_s = 0.0;  // user, nice, system, irq, softirq
  double steal_s = 0.0;
  double system_s = 0.0;   // of it the kernel's: system, irq, softirq
  double softirq_s = 0.0;  // of it what interrupts leave for later: packets, timers
};

// CPU time that a process has used so far.
struct ProcessTime {
  std::string name;  // of its program, cut as the kernel does
  double cpu_s = 0.0;
};

// A number about the machine over the time of a trial: telemetry under its name.
struct Reading {
  std::string name;
  double value = 0.0;
  std::string unit;
};

// Watches the machine from its making on.
class MachineWatch {
 public:
  MachineWatch() = default;
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;
  MachineWatch(MachineWatch&&) = delete;
  MachineWatch& operator=(MachineWatch&&) = delete;
  virtual ~MachineWatch() = default;

  // At what shows only while it lasts: clocks, temperatures. May be called as often as one likes.
  virtual void look() = 0;

  // What was seen; called once.
  virtual std::vector<Reading> end() = 0;

  // What counters counted between the first and the last look within these moments of the monotonic
  // clock: "measured_s", the time between the two, and "measured_NAME" of each. Nothing where there
  // were fewer than two.
  virtual std::vector<Reading> between(double from_s, double until_s) const = 0;
};

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine(Machine&&) = delete;
  Machine& operator=(Machine&&) = delete;
  virtual ~Machine() = default;

  virtual std::string host_name() = 0;

  // Physical cores this process may use (affinity and cgroup limit respected), >= 1. Hardware
  // threads of one core count once: mpirun's slots and bindings count so, too.
  virtual std::int64_t cores() = 0;

  // CUDA devices a trial may use; 0 without a driver.
  virtual std::int64_t gpus() = 0;

  // CPUs of those that this process may use, and GPUs a trial may use, by names that are theirs on
  // this machine alone: "cpu-3", "gpu-GPU-6f1c...". Of GPUs nothing where NVML tells nothing.
  virtual std::vector<std::string> cpu_names() = 0;
  virtual std::vector<std::string> gpu_names() = 0;

  // Memory in use on each GPU that a trial may use; empty where NVML does not tell.
  virtual std::vector<double> gpu_memory_used_bytes() = 0;

  // What goes on on other CPUs of the machine is not in it.
  virtual CpuTimes cpu_times() = 0;

  // How often the kernel's out-of-memory killer has struck this cgroup (else this machine) so far;
  // absent when it does not say.
  virtual std::optional<std::int64_t> oom_kills() = 0;

  // For one trial, from now on.
  virtual std::unique_ptr<MachineWatch> watch() = 0;

  // Of every process that can be seen, by id.
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

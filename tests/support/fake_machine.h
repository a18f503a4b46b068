// A machine with the properties a test gives it.
#pragma once

#include <functional>

#include "harness/host/machine.h"

namespace scalestudy::test {

class FakeMachine final : public Machine {
 public:
  std::string host_name() override { return "testhost"; }
  std::int64_t cores() override { return core_count; }
  bool has_bf16_cores() override { return has_bf16; }
  std::int64_t gpus() override { return gpu_count; }
  std::vector<std::string> cpu_names() override { return {"cpu-0", "cpu-1"}; }
  std::vector<std::string> gpu_names() override { return {}; }
  std::vector<double> gpu_memory_used_bytes() override {
    if (gpu_memory_bytes.size() > 1) {
      const double now = gpu_memory_bytes.front();
      gpu_memory_bytes.erase(gpu_memory_bytes.begin());
      return {now};
    }
    return gpu_memory_bytes;
  }
  CpuTimes cpu_times() override { return times; }
  std::optional<std::int64_t> oom_kills() override { return oom_kill_count; }
  std::unique_ptr<MachineWatch> watch() override { return std::make_unique<FakeWatch>(*this); }
  std::map<int, ProcessTime> processes() override { return process_times; }
  std::optional<double> calibrate() override {
    if (calibrations.empty()) {
      return std::nullopt;
    }
    const double time_s = calibrations.front();
    calibrations.erase(calibrations.begin());
    return time_s;
  }
  std::vector<std::pair<std::string, std::string>> environment() override {
    return {{"cpu_model", "Test CPU"}};
  }

  class FakeWatch final : public MachineWatch {
   public:
    explicit FakeWatch(FakeMachine& machine) : machine_(machine) {}
    void look() override { ++machine_.looks; }
    std::vector<Reading> end() override { return machine_.readings; }
    std::vector<Reading> between(double from_s, double until_s) const override {
      return machine_.counted ? machine_.counted(from_s, until_s) : std::vector<Reading>();
    }

   private:
    FakeMachine& machine_;
  };

  std::int64_t core_count = 2;
  bool has_bf16 = true;
  std::int64_t gpu_count = 0;
  // What one GPU tells each time it is asked; the last value stays.
  std::vector<double> gpu_memory_bytes;
  CpuTimes times;
  std::int64_t oom_kill_count = 0;
  std::vector<Reading> readings;  // what every watch reads
  std::function<std::vector<Reading>(double from_s, double until_s)> counted;
  int looks = 0;
  std::map<int, ProcessTime> process_times;
  std::vector<double> calibrations;  // one value each time it is asked, then none
};

}  // namespace scalestudy::test

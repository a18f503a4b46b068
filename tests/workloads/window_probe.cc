// scalestudy-train whose steps sleep instead of training: 10 ms and 20 ms in turn, odd ranks the
// other way round, and no rank waits for another. Each step ends when it is due by the steps before
// it, so that nothing adds up of waking late. Beside the record, each rank writes
// PROBE_OUTPUT.RANK: the seconds from before its first measured step to behind its last. With
// PROBE_WAITS ranks wait for each other in every step, PROBE_DIVERGING_RANK is one whose loss is
// not finite from step 3 on, with PROBE_NO_STEPS none of them is told, and with PROBE_EVALUATION an
// evaluation sleeps so many seconds and then tells that a batch is done. With PROBE_QUEUE it takes
// so many seconds until the steps so far have ended, as where a device has a queue of them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <mpi.h>

#include "workloads/device/device.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/program.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/run.h"

namespace {

using namespace scalestudy;

class SleepingTrainer final : public train::Trainer {
 public:
  SleepingTrainer(const train::Options& options, const rank::World& world)
      : rank_(world.rank()),
        device_(device::make_cpu_device()),
        timer_(*device_, {.has_phases = false, .steps = options.most_steps()}),
        buckets_(train::make_buckets(options, {})) {}

  void step(std::size_t index) override {
    if (std::exchange(is_window_next_, false)) {
      begin_s_ = rank::now_s();
      due_ = std::chrono::steady_clock::now();
    }
    timer_.begin();
    const bool is_long = (index + static_cast<std::size_t>(rank_)) % 2 == 1;
    due_ += std::chrono::milliseconds(is_long ? 20 : 10);
    std::this_thread::sleep_until(due_);
    if (std::getenv("PROBE_WAITS") != nullptr) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    timer_.end();
    end_s_ = rank::now_s();
    const char* diverging = std::getenv("PROBE_DIVERGING_RANK");
    if (index == 3 && diverging != nullptr && std::stoi(diverging) == rank_) {
      diverged_step_ = index;
    }
  }

  std::optional<std::size_t> diverged_step() const override { return diverged_step_; }
  void begin_window() override {
    timer_.begin_window();
    is_window_next_ = true;
  }
  std::vector<double> step_times_s() override {
    if (const char* seconds = std::getenv("PROBE_QUEUE")) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(seconds)));
    }
    return timer_.step_times_s();
  }

  void match_clock(const train::ClockNs& /*clock_ns*/) override {}

  train::Evaluation evaluate(const std::function<void()>& on_batch) override {
    if (const char* seconds = std::getenv("PROBE_EVALUATION")) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(seconds)));
      on_batch();
    }
    return {};
  }
  train::State state() override { return {.timer = &timer_}; }
  void publish_state() override {}

  train::RankSteps finish() override {
    if (const char* path = std::getenv("PROBE_OUTPUT")) {
      std::FILE* file = std::fopen((path + ("." + std::to_string(rank_))).c_str(), "w");
      std::fprintf(file, "%.17g\n", end_s_ - begin_s_);
      std::fclose(file);
    }
    return std::getenv("PROBE_NO_STEPS") != nullptr ? train::RankSteps() : timer_.finish();
  }

  std::map<std::string, std::string> choices() const override { return {}; }
  std::string device_description() const override { return "nothing"; }
  const std::vector<sync::Bucket>& buckets() const override { return buckets_; }
  std::size_t gradient_bytes() const override { return 0; }
  std::size_t wire_bytes() const override { return 0; }
  std::size_t traffic_bytes() const override { return 0; }
  const train::Memory& memory() const override { return memory_; }
  std::uint64_t parameter_hash() const override { return 0; }
  std::vector<double> parameters() const override { return {}; }

 private:
  int rank_;
  std::unique_ptr<device::Device> device_;
  train::StepTimer timer_;
  std::vector<sync::Bucket> buckets_;
  train::Memory memory_;
  std::optional<std::size_t> diverged_step_;
  bool is_window_next_ = false;
  std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now();
  double begin_s_ = 0.0;
  double end_s_ = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer* writer) {
    const std::span<const char* const> flags(argv + 1, argv + argc);
    return train::run(train::merge(flags::environment(), train::parse_flags(flags)),
                      world,
                      writer,
                      [](const train::Options& options, const rank::World& ranks) {
                        return std::make_unique<SleepingTrainer>(options, ranks);
                      });
  });
}

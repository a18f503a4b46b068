#include "workloads/train/record/measured_shares.h"

#include <algorithm>
#include <numeric>

#include "workloads/train/memory/memory.h"

namespace scalestudy::train {
namespace {

// A step chooses and loads what the first one needs; the mean of those behind it counts: a core
// that is shared with another program loses whole time slices, which are in a few of its steps.
constexpr std::size_t kUntimedSteps = 2;
constexpr std::size_t kLeastSteps = 3;
constexpr std::size_t kMostSteps = 500;
constexpr double kLeastTime = 0.2;  // s

// The same work without what ranks wait for each other in, and without anything that is kept.
Options alone(Options options) {
  options.weights.clear();
  options.transport = Transport::kNoop;
  options.overlap = sync::Overlap::kNone;
  options.has_comm_thread = false;
  options.has_phases = false;
  options.has_spans = false;
  options.saves = {};
  options.failure = {};
  options.first_step = 0;
  options.warmup_steps = kUntimedSteps;
  options.measured_steps = kMostSteps;
  options.warmup_time_s = 0.0;
  options.measured_time_s = 0.0;
  return options;
}

// Of this rank.
double samples_per_s(const Options& options, const rank::World& world, Trainer& trainer) {
  std::size_t done = 0;
  for (; done < kUntimedSteps; ++done) {
    trainer.step(done);
  }
  trainer.step_times_s();  // waits for them
  world.barrier();         // all are measured at once, as they will train
  trainer.begin_window();
  double time_s = 0.0;
  while (done < kUntimedSteps + kMostSteps && time_s < kLeastTime) {
    for (std::size_t i = 0; i < kLeastSteps && done < kUntimedSteps + kMostSteps; ++i) {
      trainer.step(done++);
    }
    const std::vector<double> times_s = trainer.step_times_s();
    time_s = std::accumulate(times_s.begin() + kUntimedSteps, times_s.end(), 0.0);
  }
  const auto samples = static_cast<double>((done - kUntimedSteps) * options.batch_per_device);
  return samples / std::max(time_s, 1e-9);  // a clock's least: no rank is infinitely fast
}

}  // namespace

std::vector<std::size_t> split_batch(std::size_t batch, std::span<const double> speeds) {
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const auto spare = static_cast<double>(batch - speeds.size());
  std::vector<std::size_t> shares;
  for (const double speed : speeds) {  // no more than what it ends with
    shares.push_back(std::max<std::size_t>(1, static_cast<std::size_t>(spare * speed / all)));
  }
  for (std::size_t given = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
       given < batch;
       ++given) {
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < shares.size(); ++rank) {
      const double done_s = static_cast<double>(shares[rank] + 1) / speeds[rank];
      first = done_s < static_cast<double>(shares[first] + 1) / speeds[first] ? rank : first;
    }
    ++shares[first];
  }
  return shares;
}

std::vector<double> share_by_speed(Options& options,
                                   const rank::World& world,
                                   const TrainerFactory& make) {
  if (!options.has_measured_shares) {
    return {};
  }
  const Options own = alone(options);
  std::vector<double> speeds(static_cast<std::size_t>(world.size()));
  speeds.front() = samples_per_s(own, world, *make(own, world));
  for (int rank = 1; rank < world.size(); ++rank) {
    double speed = speeds.front();
    world.send_to_root({&speed, 1}, rank);
    if (world.rank() == 0) {
      speeds[static_cast<std::size_t>(rank)] = speed;
    }
  }
  world.send_from_root(std::as_writable_bytes(std::span(speeds)));
  options.weights = split_batch(options.batch_global, speeds);
  check_memory(for_rank(options, static_cast<std::size_t>(world.rank())), world);
  return speeds;
}

std::map<std::string, double> share_facts(const Options& options, std::span<const double> speeds) {
  std::map<std::string, double> facts;
  for (std::size_t rank = 0; rank < options.weights.size(); ++rank) {
    facts["shares.rank_" + std::to_string(rank)] =
        static_cast<double>(for_rank(options, rank).batch_per_device);
  }
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    facts["alone_samples_per_s.rank_" + std::to_string(rank)] = speeds[rank];
  }
  return facts;
}

}  // namespace scalestudy::train

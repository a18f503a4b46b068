// One rank of the seam bench: training behind the seam of workloads/sync/strategy.h and the plain
// loop that it equals bit for bit, in one process, windows of steps in turn, each turn begun by the
// other. Arguments are flags of scalestudy-train. Rank 0 prints "SEAM_S PLAIN_S SEAM_CPU_S
// PLAIN_CPU_S" a turn: of a step, what the slowest rank took and what a rank used of its CPU at
// most, by the same clocks around both. Exits 1 where the two end with other parameters.
#include <array>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/workloads/reference_training.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kTurns = 100;
constexpr std::size_t kWindow = 10;  // steps: few, so that what else runs meets both alike

double cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Of one step, the most over ranks.
struct StepCost {
  double wall_s = 0.0;
  double cpu_s = 0.0;
};

template <typename Step>
StepCost cost_of(std::size_t first, const Step& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = rank::now_s();
  const double begin_cpu_s = cpu_s();
  for (std::size_t i = first; i < first + kWindow; ++i) {
    step(i);
  }
  const std::array own = {(rank::now_s() - begin_s) / static_cast<double>(kWindow),
                          (cpu_s() - begin_cpu_s) / static_cast<double>(kWindow)};
  std::array most = {0.0, 0.0};
  MPI_Allreduce(own.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {most[0], most[1]};
}

int compare(const rank::World& world, std::span<const char* const> flags) {
  const std::string steps = "--measured-steps=" + std::to_string((kTurns + 1) * kWindow);
  std::vector<const char*> all(flags.begin(), flags.end());
  all.insert(all.end(), {"--warmup-steps=0", steps.c_str()});
  const train::Options options =
      train::make_options(train::complete(train::merge({}, train::parse_flags(all)), world.size()));
  const auto trainer = train::make_trainer(options, world);
  test::ReferenceTrainer plain(options, world);
  for (std::size_t turn = 0; turn <= kTurns; ++turn) {
    StepCost seam;
    StepCost loop;
    for (const bool is_seam : {turn % 2 == 0, turn % 2 == 1}) {
      const std::size_t first = turn * kWindow;
      (is_seam ? seam : loop) = is_seam ? cost_of(first, [&](std::size_t i) { trainer->step(i); })
                                        : cost_of(first, [&](std::size_t i) { plain.step(i); });
    }
    if (turn > 0 && world.rank() == 0) {  // the first warms up
      std::printf("%.9f %.9f %.9f %.9f\n", seam.wall_s, loop.wall_s, seam.cpu_s, loop.cpu_s);
    }
  }
  trainer->finish();
  if (trainer->parameters() != plain.parameters()) {
    std::fprintf(stderr,
                 "rank %d: the two end with other parameters, or with numbers that are none\n",
                 world.rank());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    return compare(world, std::span<const char* const>(argv + 1, argv + argc));
  });
}

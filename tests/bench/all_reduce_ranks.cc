// One rank of the all-reduce bench: scalestudy-collective's step, by MPI and in shared memory, and
// a bare MPI loop on buffers of the same size in one process, in turn, each round begun by another.
// Arguments are the sizes in bytes. Rank 0 prints "BYTES MPI_S SHM_S BARE_S" a size: medians over
// rounds of the slowest rank's time of one operation.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/bench/stopwatch.h"
#include "workloads/collective/backend.h"
#include "workloads/collective/bench.h"
#include "workloads/flags/flags.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/program.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kRounds = 11;
constexpr std::size_t kWarmup = 2;

double bare_step(const std::vector<float>& send, std::vector<float>& receive, int operations) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = rank::now_s();
  for (int i = 0; i < operations; ++i) {
    MPI_Allreduce(send.data(),
                  receive.data(),
                  static_cast<int>(send.size()),
                  MPI_FLOAT,
                  MPI_SUM,
                  MPI_COMM_WORLD);
  }
  return (rank::now_s() - begin_s) / operations;
}

double slowest(double time_s) {
  double largest = 0.0;
  MPI_Allreduce(&time_s, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int compare(const rank::World& world, std::span<char* const> sizes) {
  for (const char* size : sizes) {
    const std::size_t bytes = std::stoull(size);
    const auto operations = std::clamp<std::size_t>((std::size_t{1} << 20U) / bytes, 1, 100);
    const auto options_of = [&](const char* comm) {
      return collective::make_options(
          flags::merge("collective",
                       {},
                       {{"comm", comm},
                        {"message_bytes", size},
                        {"operations_per_step", std::to_string(operations)}}));
    };
    const auto mpi_device = collective::make_device(options_of("mpi"), world);
    const auto shm_device = collective::make_device(options_of("shm"), world);
    collective::Bench mpi(options_of("mpi"), world, *mpi_device);
    collective::Bench shm(options_of("shm"), world, *shm_device);
    const std::vector<float> send(bytes / sizeof(float), 1.0F);
    std::vector<float> receive(send.size());
    const std::vector<std::function<double()>> steps = {
        [&] { return mpi.step(); },
        [&] { return shm.step(); },
        [&] { return bare_step(send, receive, static_cast<int>(operations)); }};
    std::vector<std::vector<double>> times_s(steps.size());
    for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
      for (std::size_t turn = 0; turn < steps.size(); ++turn) {
        const std::size_t who = (round + turn) % steps.size();
        const double time_s = slowest(steps[who]());
        if (round >= kWarmup) {
          times_s[who].push_back(time_s);
        }
      }
    }
    if (world.rank() == 0) {
      std::printf("%zu %.9g %.9g %.9g\n",
                  bytes,
                  test::median(times_s[0]),
                  test::median(times_s[1]),
                  test::median(times_s[2]));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    return compare(world, {argv + 1, argv + argc});
  });
}

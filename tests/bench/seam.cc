// What a step of strategy ddp behind the seam of workloads/sync/strategy.h costs over the plain
// loop that it equals bit for bit (tests/workloads/train/step/seam_test.cc): both in one process,
// in turn; on 1 and 2 ranks, with only a step's two ends timed, and with its phases.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/training.h"

namespace {

using namespace scalestudy;

constexpr int kLaunches = 10;  // the unit of the interval: turns of one share its memory and cores

// Of all turns of a launch, in order of size.
struct Ratios {
  std::vector<double> wall;
  std::vector<double> cpu;
};

Ratios launch(int ranks) {
  std::vector<std::string> command = test::mpirun_command(ranks);
  command.insert(command.end(),
                 {SCALESTUDY_BENCH_RANKS,
                  "--model=mlp-258k",
                  "--batch-per-device=128",
                  "--strategy=ddp",
                  "--timing=light"});  // what phases cost is the bench observer's
  const auto result = test::run_program(command, test::mpirun_environment());
  test::require_ok(result, "mpirun");
  std::istringstream lines(result.out);
  Ratios ratios;
  double seam_s = 0.0;
  double plain_s = 0.0;
  double seam_cpu_s = 0.0;
  double plain_cpu_s = 0.0;
  while (lines >> seam_s >> plain_s >> seam_cpu_s >> plain_cpu_s) {
    ratios.wall.push_back(seam_s / plain_s);
    ratios.cpu.push_back(seam_cpu_s / plain_cpu_s);
  }
  std::sort(ratios.wall.begin(), ratios.wall.end());
  std::sort(ratios.cpu.begin(), ratios.cpu.end());
  return ratios;
}

// launches  the ratios of each, in order of size.
void print(const char* what, int ranks, const std::vector<std::vector<double>>& launches) {
  std::vector<double> medians;
  std::vector<double> quarters;
  for (const std::vector<double>& turns : launches) {
    medians.push_back(test::median(turns));
    quarters.push_back(turns[turns.size() * 3 / 4] - turns[turns.size() / 4]);
  }
  const auto [lo, hi] = test::median_range(medians);
  fmt::print(
      "seam: {} rank{}: {} of a step x{:.4f} [{:.4f}, {:.4f}] of the plain loop's (95 % over {} "
      "launches of their median turn; half of a launch's turns within {:.4f}; aim: 0.99 to 1.01)\n",
      ranks,
      ranks == 1 ? "" : "s",
      what,
      test::median(medians),
      lo,
      hi,
      medians.size(),
      test::median(quarters));
  std::fflush(stdout);
}

}  // namespace

int main() {
  for (const int ranks : {1, 2}) {
    std::vector<std::vector<double>> wall;
    std::vector<std::vector<double>> cpu;
    for (int i = 0; i < kLaunches; ++i) {
      Ratios ratios = launch(ranks);
      wall.push_back(std::move(ratios.wall));
      cpu.push_back(std::move(ratios.cpu));
    }
    print("time", ranks, wall);
    print("CPU time", ranks, cpu);  // disturbed less by what else runs; waits for ranks are in it
  }
}

// All-reduce from 8 B to 64 MiB on 2 ranks: ours against a bare MPI loop and against gloo of
// PyTorch; launches interleaved.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "tests/bench/training.h"

namespace {

using scalestudy::bench::median;
using scalestudy::bench::require_ok;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;

constexpr int kLaunches = 7;
const std::vector<std::string> kSizes = {
    "8", "64", "512", "4096", "32768", "262144", "2097152", "16777216", "67108864"};

// 2 ranks of the program with all sizes as its last arguments.
std::vector<std::string> mpirun(const std::vector<std::string>& program) {
  std::vector<std::string> argv = {
      "mpirun", "-n", "2", "--bind-to", "core", "--map-by", "slot:PE=1"};
  argv.insert(argv.end(), program.begin(), program.end());
  argv.insert(argv.end(), kSizes.begin(), kSizes.end());
  return argv;
}

// Debian's, which has python3-torch.
constexpr const char* python = "/usr/bin/python3";

std::string output_of(const std::vector<std::string>& program) {
  const auto result = run_program(mpirun(program),
                                  {"OMPI_ALLOW_RUN_AS_ROOT=1",
                                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                   "OMPI_MCA_pml=ob1",
                                   "OMPI_MCA_btl=self,vader",
                                   "OMP_NUM_THREADS=1",
                                   "OPENBLAS_NUM_THREADS=1"});
  require_ok(result, program.front().c_str());
  return result.out;
}

// Times by message size, one value a launch.
using Times = std::map<long, std::vector<double>>;

void measure(const TemporaryFolder& folder, int launch, Times& ours, Times& bare, Times& gloo) {
  std::istringstream mpi(output_of({SCALESTUDY_BENCH_RANKS}));
  long bytes = 0;
  double ours_s = 0.0;
  double bare_s = 0.0;
  while (mpi >> bytes >> ours_s >> bare_s) {
    ours[bytes].push_back(ours_s);
    bare[bytes].push_back(bare_s);
  }
  std::istringstream torch(output_of({python,
                                      SCALESTUDY_BENCH_DIR "/torch/all_reduce.py",
                                      "--rendezvous",
                                      folder.file("gloo-" + std::to_string(launch))}));
  double gloo_s = 0.0;
  while (torch >> bytes >> gloo_s) {
    gloo[bytes].push_back(gloo_s);
  }
}

// Of the launches' ratios: the median, and its order-statistics interval.
std::string ratio(const std::vector<double>& times_s, const std::vector<double>& peer_s) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    ratios.push_back(times_s[i] / peer_s.at(i));
  }
  const auto [lo, hi] = scalestudy::bench::median_range(ratios);
  return fmt::format("x{:.3g} [{:.3g}, {:.3g}]", median(ratios), lo, hi);
}

}  // namespace

int main() {
  if (run_program({python, "-c", "import torch"}).exit_code != 0) {
    fmt::print("all_reduce: {} has no PyTorch; apt-get install python3-torch\n", python);
    return 0;
  }
  const TemporaryFolder folder;
  Times ours;
  Times bare;
  Times gloo;
  for (int launch = 0; launch < kLaunches; ++launch) {
    measure(folder, launch, ours, bare, gloo);
  }
  for (const auto& [bytes, times_s] : ours) {
    fmt::print(
        "all_reduce: {:>9} B: {:>10.2f} us; time {} of a bare MPI loop (aim <= 1.05); {} of gloo "
        "(aim <= 0.5)\n",
        bytes,
        1e6 * median(times_s),
        ratio(times_s, bare.at(bytes)),
        ratio(times_s, gloo.at(bytes)));
  }
  fmt::print(
      "all_reduce: 2 ranks, float32; medians of {} launches' ratios, in brackets their "
      "order-statistics interval; gloo works in place, the other two out of place\n",
      kLaunches);
}

// All-reduce from 8 B to 64 MiB on 2 ranks: ours, by MPI and in shared memory, against a bare MPI
// loop and against gloo of PyTorch; launches interleaved. Without a PyTorch, against the loop
// alone.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/torch_peer.h"

namespace {

using scalestudy::test::median;
using scalestudy::test::median_ratio;
using scalestudy::test::require_ok;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;

constexpr int kLaunches = 21;
constexpr int kGlooLaunches = 7;  // they take most of the time
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

std::string output_of(const std::vector<std::string>& program) {
  const auto result = run_program(mpirun(program), scalestudy::test::torch_environment());
  require_ok(result, program.front().c_str());
  return result.out;
}

// Times by message size, one value a launch.
using Times = std::map<long, std::vector<double>>;

void measure_ours(Times& mpi, Times& shm, Times& bare) {
  std::istringstream ranks(output_of({SCALESTUDY_BENCH_RANKS}));
  long bytes = 0;
  double mpi_s = 0.0;
  double shm_s = 0.0;
  double bare_s = 0.0;
  while (ranks >> bytes >> mpi_s >> shm_s >> bare_s) {
    mpi[bytes].push_back(mpi_s);
    shm[bytes].push_back(shm_s);
    bare[bytes].push_back(bare_s);
  }
}

void measure_gloo(const std::string& python, const std::string& rendezvous, Times& gloo) {
  std::istringstream torch(
      output_of({python, SCALESTUDY_BENCH_DIR "/torch/all_reduce.py", "--rendezvous", rendezvous}));
  long bytes = 0;
  double gloo_s = 0.0;
  while (torch >> bytes >> gloo_s) {
    gloo[bytes].push_back(gloo_s);
  }
}

}  // namespace

int main() {
  const auto peers = scalestudy::test::torch_peers();
  const TemporaryFolder folder;
  Times mpi;
  Times shm;
  Times bare;
  Times gloo;
  for (int launch = 0; launch < kLaunches; ++launch) {
    measure_ours(mpi, shm, bare);
    if (!peers.empty() && launch < kGlooLaunches) {
      measure_gloo(peers[0].python, folder.file("gloo-" + std::to_string(launch)), gloo);
    }
  }
  const auto print = [&](const char* comm, long bytes, const std::vector<double>& times_s) {
    const bool is_mpi = comm == std::string("mpi");
    const char* const aim = is_mpi              ? " (aim: to 1.05 at most)"
                            : bytes >= 16777216 ? " (aim: to 0.6 at most)"
                                                : "";
    fmt::print("all_reduce: {:>9} B by {}: {:>10.2f} us; time {} of a bare MPI loop{}",
               bytes,
               comm,
               1e6 * median(times_s),
               median_ratio(times_s, bare.at(bytes)),
               aim);
    if (!peers.empty()) {
      fmt::print("; {} of gloo's",
                 median_ratio({times_s.begin(), times_s.begin() + kGlooLaunches}, gloo.at(bytes)));
    }
    fmt::print("\n");
  };
  for (const auto& [bytes, times_s] : mpi) {
    print("mpi", bytes, times_s);
    print("shm", bytes, shm.at(bytes));
  }
  fmt::print(
      "all_reduce: 2 ranks, float32; medians of {} launches' ratios ({} with gloo), in brackets "
      "their order-statistics interval; gloo{} works in place, the others out of place\n",
      kLaunches,
      kGlooLaunches,
      peers.empty() ? "" : " of PyTorch " + peers[0].version);
}

// What a trial costs under the harness against the same mpirun by hand, interleaved in one run.
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "tests/support/program.h"

namespace {

using scalestudy::bench::median;
using scalestudy::bench::seconds;
using scalestudy::test::ProgramResult;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;
using scalestudy::test::write_file;

constexpr int rounds = 7;
constexpr int trials = 5;  // a round; the harness's own start is shared by so many, as in a study

const std::vector<std::string> mpi_environment{"OMPI_ALLOW_RUN_AS_ROOT=1",
                                               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                               "OMPI_MCA_pml=ob1",
                                               "OMPI_MCA_btl=self,vader",
                                               "OMP_NUM_THREADS=1"};

void require_ok(const ProgramResult& result, const char* what) {
  if (result.exit_code != 0) {
    fmt::print(stderr, "{} failed ({}):\n{}\n", what, result.exit_code, result.err);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): single-threaded
  }
}

// `trials` launches by hand, one after the other.
double by_hand(const TemporaryFolder& folder) {
  std::vector<std::string> environment = mpi_environment;
  environment.push_back("SCALESTUDY_OUTPUT=" + folder.file("by-hand.jsonl"));
  return seconds([&] {
    for (int trial = 0; trial < trials; ++trial) {
      require_ok(run_program({"mpirun",
                              "-n",
                              "2",
                              "--bind-to",
                              "core",
                              "--map-by",
                              "slot:PE=1",
                              SCALESTUDY_TEST_BIN "/scalestudy-train",
                              "--model",
                              "mlp-258k",
                              "--batch-global",
                              "256",
                              "--warmup-steps",
                              "10",
                              "--measured-steps",
                              "400"},
                             environment),
                 "mpirun");
    }
  });
}

// A study of the same trials: parse, plan, launch, store, analyse.
double under_harness(const TemporaryFolder& folder, int round) {
  const std::string study = folder.file("study.yaml");
  write_file(
      study,
      fmt::format("version: 1\nstudy: overhead\ntitle: Harness overhead\nworkload: train\n"
                  "parameters: {{model: mlp-258k, devices: 2}}\naxes: {{batch_global: [256]}}\n"
                  "steps: {{warmup: 10, measured: 400}}\ntrials: {{count: {}}}\n",
                  trials));
  const std::string results = folder.file("results-" + std::to_string(round));
  return seconds([&] {
    require_ok(run_program({SCALESTUDY_TEST_BIN "/scalestudy", "--results", results, "run", study}),
               "scalestudy run");
  });
}

}  // namespace

int main() {
  const TemporaryFolder folder;
  std::vector<double> hand;
  std::vector<double> harness;
  std::vector<double> ratios;
  for (int round = 0; round <= rounds; ++round) {
    // A-B in even rounds and B-A in odd ones, so that a drift of the machine cancels.
    double hand_s = 0.0;
    double harness_s = 0.0;
    if (round % 2 == 0) {
      hand_s = by_hand(folder);
      harness_s = under_harness(folder, round);
    } else {
      harness_s = under_harness(folder, round);
      hand_s = by_hand(folder);
    }
    if (round > 0) {  // the first one warms caches
      hand.push_back(hand_s / trials);
      harness.push_back(harness_s / trials);
      ratios.push_back(harness_s / hand_s);
    }
  }
  fmt::print(
      "trial_overhead: by hand {:.3f} s, under the harness {:.3f} s a trial (medians of {} rounds "
      "of {} trials)\n",
      median(hand),
      median(harness),
      rounds,
      trials);
  fmt::print(
      "trial_overhead: ratio of medians {:.4f}, median of paired ratios {:.4f} (aim <= 1.02)\n",
      median(harness) / median(hand),
      median(ratios));
}

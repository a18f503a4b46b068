// What a trial costs under the harness against the same mpirun by hand, interleaved in one run.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "tests/bench/training.h"

namespace {

using scalestudy::test::median;
using scalestudy::test::run_program;
using scalestudy::test::seconds;
using scalestudy::test::TemporaryFolder;

constexpr int rounds = 9;
constexpr int trials = 5;  // a round; the harness's own start is shared by so many, as in a study

// `trials` launches by hand, one after the other.
double by_hand_s(const TemporaryFolder& folder) {
  double wall_s = 0.0;
  for (int trial = 0; trial < trials; ++trial) {
    wall_s += scalestudy::test::by_hand(folder, "full").wall_s;
  }
  return wall_s;
}

// A study of the same trials: parse, plan, launch, store, analyse.
double under_harness_s(const TemporaryFolder& folder, int round) {
  const std::string study = folder.file("study.yaml");
  scalestudy::test::write_file(study, scalestudy::test::study_text(trials));
  const std::string results = folder.file("results-" + std::to_string(round));
  return seconds([&] {
    scalestudy::test::require_ok(
        run_program({SCALESTUDY_TEST_BIN "/scalestudy", "--results", results, "run", study}),
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
    const double first_s = round % 2 == 0 ? by_hand_s(folder) : under_harness_s(folder, round);
    const double second_s = round % 2 == 0 ? under_harness_s(folder, round) : by_hand_s(folder);
    const double hand_s = round % 2 == 0 ? first_s : second_s;
    const double harness_s = round % 2 == 0 ? second_s : first_s;
    if (round > 0) {  // the first one warms caches
      hand.push_back(hand_s / trials);
      harness.push_back(harness_s / trials);
      ratios.push_back(harness_s / hand_s);
    }
  }
  const auto [lo, hi] = scalestudy::test::median_range(ratios);
  fmt::print(
      "trial_overhead: by hand {:.3f} s, under the harness {:.3f} s a trial (medians of {} rounds "
      "of {} "
      "trials)\n",
      median(hand),
      median(harness),
      rounds,
      trials);
  fmt::print(
      "trial_overhead: ratio of medians {:.4f}; median of paired ratios {:.4f} [{:.4f}, {:.4f}] "
      "(aim <= "
      "1.02)\n",
      median(harness) / median(hand),
      median(ratios),
      lo,
      hi);
}

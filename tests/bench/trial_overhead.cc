// What a trial costs under the harness against the same mpirun by hand, by turns: wall, user and
// system time. A block here is one trial, so that the product timed around blocks weighs the most;
// the second arm leaves it out.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "tests/bench/training.h"

namespace {

using scalestudy::test::median;
using scalestudy::test::run_program;
using scalestudy::test::Spent;
using scalestudy::test::TemporaryFolder;

constexpr int kRounds = 21;
constexpr int kTrials = 5;  // a round; the harness's own start is shared by so many, as in a study

// `kTrials` launches by hand, one after the other.
Spent by_hand(const TemporaryFolder& folder) {
  return scalestudy::test::spent([&] {
    for (int trial = 0; trial < kTrials; ++trial) {
      scalestudy::test::by_hand(folder, "full");
    }
  });
}

// A study of the same trials, in a store that is there: parse, plan, launch, store, analyse.
Spent under_harness(const TemporaryFolder& folder, const std::string& calibration, int round) {
  const std::string study = folder.file("study.yaml");
  scalestudy::test::write_file(study, scalestudy::test::study_text(kTrials));
  return scalestudy::test::spent([&] {
    scalestudy::test::require_ok(run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                                              "--results",
                                              folder.file("results"),
                                              "run",
                                              study,
                                              "--set",
                                              fmt::format("study={}-{}", calibration, round),
                                              "--set",
                                              "validity.calibration=" + calibration}),
                                 "scalestudy run");
  });
}

void print(const char* what, const std::vector<Spent>& arm, const std::vector<Spent>& hand) {
  const std::array<std::pair<const char*, double Spent::*>, 3> parts{
      {{"wall", &Spent::wall_s}, {"user", &Spent::user_s}, {"system", &Spent::system_s}}};
  for (const auto& [name, part] : parts) {
    std::vector<double> own_s;
    std::vector<double> hand_s;
    for (int round = 0; round < kRounds; ++round) {
      own_s.push_back(arm[static_cast<std::size_t>(round)].*part / kTrials);
      hand_s.push_back(hand[static_cast<std::size_t>(round)].*part / kTrials);
    }
    fmt::print("trial_overhead: {}: {} time {:.3f} s a trial, by hand {:.3f} s; {} in {} pairs\n",
               what,
               name,
               median(own_s),
               median(hand_s),
               scalestudy::test::median_ratio(own_s, hand_s),
               kRounds);
  }
}

}  // namespace

int main() {
  const TemporaryFolder folder;
  std::array<std::vector<Spent>, 3> arms;
  const std::array<std::function<Spent(int)>, 3> measure{
      [&](int) { return by_hand(folder); },
      [&](int round) { return under_harness(folder, "blocks", round); },
      [&](int round) { return under_harness(folder, "none", round); }};
  for (int round = 0; round <= kRounds; ++round) {
    // Each arm comes first, second and last as often, so that a drift of the machine cancels.
    for (std::size_t turn = 0; turn < arms.size(); ++turn) {
      const std::size_t arm = (turn + static_cast<std::size_t>(round)) % arms.size();
      const Spent spent = measure[arm](round);
      if (round > 0) {  // the first one warms caches and makes the store
        arms[arm].push_back(spent);
      }
    }
  }
  print("as it is (aim: wall <= 1.02)", arms[1], arms[0]);
  print("without the product around blocks", arms[2], arms[0]);
}

// What a trial costs under the harness against the same mpirun by hand, by turns: wall, user and
// system time; and what a session costs once: it parses, plans, looks at the machine's load and
// analyses. A block here is one trial, so that the product timed around blocks weighs the most; the
// second arm leaves it out.
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
constexpr int kTrials = 5;  // a round

// `kTrials` launches by hand, one after the other.
Spent by_hand(const TemporaryFolder& folder) {
  return scalestudy::test::spent([&] {
    for (int trial = 0; trial < kTrials; ++trial) {
      scalestudy::test::by_hand(folder, "full");
    }
  });
}

// A study of so many trials, in a store that is there: parse, plan, launch, store, analyse.
Spent session(const TemporaryFolder& folder,
              const std::string& calibration,
              int trials,
              int round) {
  const std::string study = folder.file("study.yaml");
  scalestudy::test::write_file(study, scalestudy::test::study_text(trials));
  return scalestudy::test::spent([&] {
    scalestudy::test::require_ok(
        run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                     "--results",
                     folder.file("results"),
                     "run",
                     study,
                     "--set",
                     fmt::format("study={}-{}-{}", calibration, trials, round),
                     "--set",
                     "validity.calibration=" + calibration}),
        "scalestudy run");
  });
}

Spent operator-(const Spent& a, const Spent& b) {
  return {a.wall_s - b.wall_s, a.user_s - b.user_s, a.system_s - b.system_s};
}

struct Cost {
  Spent trials;   // of `kTrials`
  Spent session;  // what is left of a session without its trials; nothing by hand
};

// The trials' cost is what a session with so many more takes longer.
Cost under_harness(const TemporaryFolder& folder, const std::string& calibration, int round) {
  const Spent one = session(folder, calibration, 1, round);
  const Spent trials = session(folder, calibration, 1 + kTrials, round) - one;
  const double share = 1.0 / kTrials;
  return {trials,
          one - Spent{share * trials.wall_s, share * trials.user_s, share * trials.system_s}};
}

std::vector<double> each(const std::vector<Cost>& costs,
                         Spent Cost::*what,
                         double Spent::*part,
                         double divisor) {
  std::vector<double> values;
  values.reserve(costs.size());
  for (const Cost& cost : costs) {
    values.push_back(cost.*what.*part / divisor);
  }
  return values;
}

void print(const char* what, const std::vector<Cost>& arm, const std::vector<Cost>& hand) {
  const std::array<std::pair<const char*, double Spent::*>, 3> parts{
      {{"wall", &Spent::wall_s}, {"user", &Spent::user_s}, {"system", &Spent::system_s}}};
  for (const auto& [name, part] : parts) {
    const std::vector<double> own_s = each(arm, &Cost::trials, part, kTrials);
    const std::vector<double> hand_s = each(hand, &Cost::trials, part, kTrials);
    fmt::print(
        "trial_overhead: {}: {} time {:.3f} s a trial, by hand {:.3f} s; {} in {} pairs; and "
        "{:.3f} s once a session\n",
        what,
        name,
        median(own_s),
        median(hand_s),
        scalestudy::test::median_ratio(own_s, hand_s),
        kRounds,
        median(each(arm, &Cost::session, part, 1.0)));
  }
}

}  // namespace

int main() {
  const TemporaryFolder folder;
  std::array<std::vector<Cost>, 3> arms;
  const std::array<std::function<Cost(int)>, 3> measure{
      [&](int) {
        return Cost{by_hand(folder), {}};
      },
      [&](int round) { return under_harness(folder, "blocks", round); },
      [&](int round) { return under_harness(folder, "none", round); }};
  for (int round = 0; round <= kRounds; ++round) {
    // Each arm comes first, second and last as often, so that a drift of the machine cancels.
    for (std::size_t turn = 0; turn < arms.size(); ++turn) {
      const std::size_t arm = (turn + static_cast<std::size_t>(round)) % arms.size();
      const Cost cost = measure[arm](round);
      if (round > 0) {  // the first one warms caches and makes the store
        arms[arm].push_back(cost);
      }
    }
  }
  print("without the product around blocks (aim: wall <= 1.02)", arms[2], arms[0]);
  print("with it, each block one trial", arms[1], arms[0]);
}

// Coverage at the level of analysis: how often what a report claims is right.
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stats/planning.h"
#include "tests/analysis/simulation/loaded_studies.h"
#include "tests/analysis/simulation/searches.h"
#include "tests/analysis/simulation/studies.h"
#include "tests/bench/coverage_goals.h"
#include "tests/bench/coverage_studies.h"

namespace scalestudy::test {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): one small table a function

constexpr std::size_t kReplicates = 4'000;

bool check_ladders(std::uint64_t& seed) {
  fmt::print(
      "\n| break-even of five values a factor of 2 apart, anywhere in the range | T | interval, "
      "where printed | printed | bracket |\n|---|---|---|---|---|\n");
  Goal interval{"G12", "interpolated break-even of five values, T = 5..30", 0.94, 1.0};
  Goal bracket{"G12", "bracket of five values", 0.98, 1.0};
  Goal few{"G12", "interval printed of four values, or a factor of 2.5 apart", 0.0, 0.0};
  for (const Curve curve : kCurves) {
    for (const std::size_t trials : {5U, 10U, 30U}) {
      const LadderTally tally =
          run_ladders({.curve = curve, .trials = trials}, kReplicates, seed++);
      fmt::print("| {} | {} | {} | {} | {} |\n",
                 name_of(curve),
                 trials,
                 percent(tally.interval),
                 percent(tally.printed),
                 percent(tally.bracket));
      interval.add(tally.interval.share());
      bracket.add(tally.bracket.share());
    }
  }
  few.add(run_ladders({.values = 4}, kReplicates / 10, seed++).printed.share());
  few.add(run_ladders({.factor = 2.5}, kReplicates / 10, seed++).printed.share());
  fmt::print("\n");
  return report({interval, bracket, few});
}

bool check_laws(std::uint64_t& seed) {
  fmt::print(
      "\n| Amdahl over 1, 2, 4, 8 devices, ten blocks | blocks differ by | not rejected | serial "
      "fraction |\n|---|---|---|---|\n");
  Goal wrong{"G13", "a wrong law called \"not rejected\"", 0.0, 0.10};
  Goal right{"G13", "a right law called \"not rejected\"", 0.94, 0.96};
  Goal serial{"G13", "its serial fraction", 0.94, 0.96};
  for (const bool is_wrong : {true, false}) {
    for (const double block_sd : {0.0, 0.05, 0.20}) {
      const BlockedLawTally tally = run_blocked_laws(is_wrong, block_sd, kReplicates, seed++);
      fmt::print("| {} | {:.0f} % | {} | {} |\n",
                 is_wrong ? "8 devices 3 % off" : "right",
                 100.0 * block_sd,
                 percent(tally.kept),
                 is_wrong ? "-" : percent(tally.serial));
      (is_wrong ? wrong : right).add(tally.kept.share());
      if (!is_wrong) {
        serial.add(tally.serial.share());
      }
    }
  }
  Goal unequal{"G13", "its serial fraction, one cell of 30 % spread", 0.93, 0.985};
  fmt::print("\n| spreads 3 and 30 % | T | not rejected | serial fraction |\n|---|---|---|---|\n");
  for (const bool in_blocks : {true, false}) {
    for (const std::size_t trials : {5U, 10U, 40U}) {
      for (const std::vector<std::int64_t>& devices :
           {std::vector<std::int64_t>{1, 2}, std::vector<std::int64_t>{1, 2, 4, 8}}) {
        const BlockedLawTally tally =
            run_unequal_laws({devices, trials, in_blocks}, kReplicates, seed++);
        fmt::print("| {} counts, {} | {} | {} | {} |\n",
                   devices.size(),
                   in_blocks ? "blocks" : "batch",
                   trials,
                   percent(tally.kept),
                   percent(tally.serial));
        unequal.add(tally.serial.share());
      }
    }
  }
  fmt::print("\n");
  return report({wrong, right, serial, unequal});
}

bool check_words(std::uint64_t& seed) {
  fmt::print(
      "\n| clean studies of 7 cells: trials, blocks | T | rare slow trials | drift | warm-up | "
      "superlinear | control failed | a trial marked | interval without marked ones |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  Goal words{"G14", "a flagging word said of a clean study", 0.0, 0.055};
  for (const std::size_t trials : {5U, 10U, 20U}) {
    for (const CleanStudy& clean : {CleanStudy{trials, 0.01, 0.0, true},
                                    CleanStudy{trials, 0.01, 0.05, true},
                                    CleanStudy{trials, 0.15, 0.0, true},
                                    CleanStudy{trials, 0.01, 0.0, false}}) {
      const WordTally tally = run_words(clean, kReplicates, seed++);
      fmt::print("| {:.0f} %, {:.0f} %{} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                 100.0 * clean.trial_sd,
                 100.0 * clean.block_sd,
                 clean.in_blocks ? "" : ", order batch",
                 trials,
                 percent(tally.rare_slow_trials),
                 percent(tally.drift),
                 percent(tally.warm_up),
                 percent(tally.superlinear),
                 percent(tally.control_failed),
                 percent(tally.marked),
                 percent(tally.unflagged_interval));
      for (const Tally* tallied : {&tally.rare_slow_trials,
                                   &tally.drift,
                                   &tally.warm_up,
                                   &tally.superlinear,
                                   &tally.control_failed}) {
        words.add(tallied->share());
      }
    }
  }
  fmt::print("\n");
  return report({words});
}

bool check_looks(std::uint64_t& seed) {
  fmt::print(
      "\n| order batch, ten trials each of two equal cells: drift | speedup covers | order warned "
      "of | drift warned of |\n|---|---|---|---|\n");
  Goal warned{"G15", "trials in a row, and looks before the end, are warned of", 1.0, 1.0};
  Goal quiet{"G15", "called drifting without drift", 0.0, 0.055};
  for (const double drift : {0.0, 0.02, 0.05, 0.10}) {
    const BatchOrderTally tally = run_batch_order(drift, kReplicates, seed++);
    fmt::print("| {:.0f} % | {} | {} | {} |\n",
               100.0 * drift,
               percent(tally.covered),
               percent(tally.warned),
               percent(tally.drifted));
    warned.add(tally.warned.share());
    if (drift == 0.0) {
      quiet.add(tally.drifted.share());
    }
  }
  fmt::print(
      "\n| looks at 20 blocks of two equal cells | called at the first | called at any | warned of "
      "|\n|---|---|---|---|\n");
  Goal first{"G15", "A/A called at the first look", 0.0, 0.06};
  for (const std::size_t looks : {1U, 2U, 4U, 10U}) {
    const LookTally tally = run_looks(looks, kReplicates, seed++);
    fmt::print("| {} | {} | {} | {} |\n",
               looks,
               percent(tally.first),
               percent(tally.any),
               percent(tally.warned));
    first.add(tally.first.share());
    warned.add(tally.warned.share());
  }
  fmt::print("\n");
  return report({warned, quiet, first});
}

// Against a fixed number of trials, which finds the margin of 2 % between trials of 3 % in four of
// five cells that are tested alone.
bool check_verdict_runs(std::uint64_t& seed) {
  constexpr double trial_sd = 0.03;
  const int planned = static_cast<int>(
      stats::sample_size_two_sample(trial_sd, 0.02, 0.05, 0.8).n_per_group.value());
  const int most = (5 * planned + 3) / 4;
  fmt::print(
      "\n| runs for verdicts, 8 to {} trials, and fixed ones of {}: speedups of the cells | a "
      "claim "
      "is false | intervals cover | found | found by fixed | trials of fixed: mean, median |\n"
      "|---|---|---|---|---|---|\n",
      most,
      planned);
  Goal errs{"G19", "runs for verdicts: some claim of a study is false", 0.0, 0.055};
  Goal covers{"G19", "their intervals cover", 0.94, 1.0};
  Goal loses{"G19", "differences found less often than by fixed", -1.0, 0.02};
  Goal worst{"G19", "trials of fixed, mean, worst case", 0.0, 1.3};
  Goal median{"G19", "trials of fixed, median of studies of drawn speedups", 0.0, 0.5};
  const std::vector<VerdictRun> truths{{.speedups = {1, 1, 1, 1, 1, 1, 1}},
                                       {.speedups = {1.02, 1.02, 1.02, 1.02, 1.02, 1.02, 1.02}},
                                       {.speedups = {1, 1, 1.02, 1.05, 1.1, 1.5, 1.8}},
                                       {.speedups = {0.6, 0.8, 1.1, 1.2, 1.4, 1.6, 1.8}},
                                       {.speedups = std::vector<double>(7), .drawn_sd = 0.2}};
  for (VerdictRun run : truths) {
    run.trial_sd = trial_sd;
    run.max = most;
    const VerdictRunTally tally = run_for_verdicts(run, kReplicates / 4, seed++);
    run.min = run.max = planned;
    const VerdictRunTally fixed = run_for_verdicts(run, kReplicates / 4, seed++);
    std::vector<double> costs = tally.trials;
    std::ranges::sort(costs);
    const double cost_mean = std::accumulate(costs.begin(), costs.end(), 0.0) /
                             static_cast<double>(costs.size()) / fixed.trials.at(0);
    const double cost_median = costs.at(costs.size() / 2) / fixed.trials.at(0);
    fmt::print(
        "| {} | {} | {} | {} | {} | {:.2f}, {:.2f} |\n",
        run.drawn_sd > 0.0 ? "drawn, sd 20 %" : fmt::format("{}", fmt::join(run.speedups, ", ")),
        percent(tally.any_false),
        percent(tally.covered),
        percent(tally.decided),
        percent(fixed.decided),
        cost_mean,
        cost_median);
    errs.add(tally.any_false.share());
    covers.add(tally.covered.share());
    worst.add(cost_mean);
    if (fixed.decided.total > 0) {
      loses.add(fixed.decided.share() - tally.decided.share());
    }
    if (run.drawn_sd > 0.0) {
      median.add(cost_median);
    }
  }
  fmt::print("\n");
  return report({errs, covers, loses, worst, median});
}

// 64 settings of which none is better, one, or all with a value of one axis.
bool check_searches(std::uint64_t& seed) {
  fmt::print(
      "\n| searches of 64 settings: trials of | trials at most | gain claimed | fastest kept | "
      "recommended as fast | gains covered | mean gain over the truth | with the race in it: "
      "covered, mean | trials of the race, of all | fresh blocks |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  Goal claims{"G21", "a gain claimed where no setting is better", 0.0, 0.05};
  Goal keeps{"G21", "a setting 10 % better is kept, and recommended", 0.9, 1.0};
  Goal covers{"G21", "published gains", 0.94, 1.0};
  Goal mean{"G21", "published gains over the truth, mean", 0.998, 1.002};
  Goal cost{"G21", "trials of the full design: as many blocks of all, and 10 of all", 0.0, 1.0 / 3};
  std::map<std::int64_t, double> knob;  // one value of the first axis, and 2 % more by others
  for (std::int64_t place = 0; place < 64; ++place) {
    knob[place] = (place % 4 == 2 ? 1.1 : 1.0) * (place / 16 == 3 ? 1.005 : 1.0);
  }
  for (const SearchTruth& truth : {SearchTruth{.speedups = {}, .trial_sd = 0.04},
                                   SearchTruth{.trial_sd = 0.04, .max_trials = 400},
                                   SearchTruth{.speedups = {{37, 1.1}}},
                                   SearchTruth{.speedups = {{37, 1.1}}, .max_trials = 213},
                                   SearchTruth{.speedups = knob},
                                   SearchTruth{.speedups = knob, .trial_sd = 0.01}}) {
    const SearchTally tally = run_searches(truth, kReplicates, seed++);
    fmt::print(
        "| {:.0f} %, {} | {} | {} | {} | {} | {} | {:.4f} | {}, {:.4f} | {:.0f}, {:.0f} | "
        "{:.1f} |\n",
        100.0 * truth.trial_sd,
        truth.speedups.empty()       ? "none better"
        : truth.speedups.size() == 1 ? "one"
                                     : "16",
        truth.max_trials.value_or(0),
        percent(tally.claimed),
        percent(tally.kept),
        percent(tally.used),
        percent(tally.covered),
        tally.gain,
        percent(tally.covered_all),
        tally.gain_all,
        tally.race_trials,
        tally.trials,
        tally.fresh_blocks);
    covers.add(tally.covered.share());
    mean.add(tally.gain);
    if (truth.speedups.empty()) {
      claims.add(tally.claimed.share());
    }
    if (truth.speedups.size() == 1) {
      keeps.add(tally.kept.share());
      keeps.add(tally.used.share());
      cost.add(tally.trials / 64.0 / (truth.max_trials ? 10.0 : tally.fresh_blocks));
    }
  }
  fmt::print("\n");
  return report({claims, keeps, covers, mean, cost});
}

bool check_loads(std::uint64_t& seed) {
  fmt::print(
      "\n| load: trials in a row, slowdown | false alarms | of load that does nothing | caught "
      "|\n|---|---|---|---|\n");
  Goal nothing{"G24", "load that does nothing is a warning", 0.0, 0.40};
  Goal caught{"G24", "load that moved a speedup too far is a warning", 0.85, 1.0};
  for (const double length : {1.0, 3.0, 12.0}) {
    Tally all_false;
    Tally none_false;
    Tally all_caught;
    for (const double slowdown : {1.0, 1.02, 1.05, 1.1, 1.3}) {
      for (const std::size_t cells : {2U, 3U, 5U}) {
        for (const std::size_t blocks : {5U, 10U, 20U}) {
          for (const double share : {0.1, 0.3}) {
            for (const double sd : {0.01, 0.03, 0.1}) {
              for (const double at_base : {0.3, 1.0}) {
                const LoadTally tally =
                    run_loads({cells, blocks, share, length, slowdown, at_base, sd}, 20, seed++);
                const auto add = [](const Tally& some, Tally& sum) {
                  sum.hits += some.hits;
                  sum.total += some.total;
                };
                add(tally.false_alarms, slowdown == 1.0 ? none_false : all_false);
                add(tally.caught, all_caught);
              }
            }
          }
        }
      }
    }
    fmt::print("| {} | {} | {} | {} |\n",
               length,
               percent(all_false),
               percent(none_false),
               percent(all_caught));
    nothing.add(none_false.share());
    caught.add(all_caught.share());
  }
  fmt::print("\n");
  return report({nothing, caught});
}

// Studies of a night, as docs/examples/night: many trials, of which few meet load.
bool check_loaded_nights(std::uint64_t& seed) {
  Goal nothing{"G24", "100 blocks, 3 % loaded, no slowdown: a warning", 0.0, 0.20};
  Goal caught{"G24", "the same, slowdowns of 1.1 and 1.3 that moved a speedup too far", 0.95, 1.0};
  Tally moved;
  for (const double length : {1.0, 3.0}) {
    for (const std::size_t cells : {2U, 7U}) {
      const auto nights = [&](double slowdown) {
        return run_loads({.cells = cells,
                          .blocks = 100,
                          .share = 0.033,
                          .length = length,
                          .slowdown = slowdown,
                          .sd = 0.08},
                         100,
                         seed++);
      };
      nothing.add(nights(1.0).false_alarms.share());
      for (const double slowdown : {1.1, 1.3}) {
        const Tally more = nights(slowdown).caught;
        moved.hits += more.hits;
        moved.total += more.total;
      }
    }
  }
  caught.add(moved.share());
  return report({nothing, caught});
}

bool check_tails(std::uint64_t& seed) {
  fmt::print(
      "\n| tails with the fewest steps that show an interval | T | p95 | p99 "
      "|\n|---|---|---|---|\n");
  Goal goal{"G16", "p95 and p99 where an interval is shown", 0.92, 0.97};
  for (const Scenario scenario : kOrdinary) {
    for (const std::size_t trials : {5U, 10U, 20U}) {
      constexpr std::size_t fewer = kReplicates / 2;  // up to 5000 steps a trial
      const Tally p95 = run_shown_tails(scenario, 0.95, trials, fewer, seed++);
      const Tally p99 = run_shown_tails(scenario, 0.99, trials, fewer / 4, seed++);
      fmt::print("| {} | {} | {} | {} |\n", name_of(scenario), trials, percent(p95), percent(p99));
      goal.add(p95.share());
      goal.add(p99.share());
    }
  }
  fmt::print("\n");
  return report({goal});
}

}  // namespace

bool check_claimed_studies(std::uint64_t first_seed) {
  return check_all(first_seed,
                   {check_ladders,
                    check_laws,
                    check_words,
                    check_looks,
                    check_verdict_runs,
                    check_tails,
                    check_searches,
                    check_loads,
                    check_loaded_nights});
}

}  // namespace scalestudy::test

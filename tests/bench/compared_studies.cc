// Coverage at the level of analysis: issue by issue what sessions, lost trials and slow launches
// do.
#include "tests/analysis/simulation/compared_studies.h"

#include <fmt/format.h>

#include "tests/analysis/simulation/compared_sides.h"
#include "tests/bench/coverage_goals.h"
#include "tests/bench/coverage_studies.h"

namespace scalestudy::test {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): one small table a function

constexpr std::size_t kReplicates = 10'000;

bool check_sessions(std::uint64_t& seed) {
  fmt::print(
      "\n| two sessions 5 % apart: blocks in the first, base and cell | A/A called faster or "
      "slower "
      "| told |\n|---|---|---|\n");
  Goal called{"G8", "A/A called, shared sessions", 0.0, 0.055};
  Goal told{"G8", "the sentence names sessions and shares", 1.0, 1.0};
  for (const auto& [base, cell] : {std::pair(5U, 5U), {9U, 1U}, {8U, 2U}, {7U, 5U}, {10U, 1U}}) {
    const VerdictTally tally = run_shared_sessions(base, cell, kReplicates, seed++);
    fmt::print(
        "| {} and {} of 10 | {} | {} |\n", base, cell, percent(tally.called), percent(tally.told));
    called.add(tally.called.share());
    if (base < 10) {  // 10 and 1: one block holds both, and only one session is in the comparison
      told.add(tally.told.share());
    }
  }
  fmt::print(
      "\n| step time, sessions of CV 3.5 % x trials each | mean of these sessions | mean of all | "
      "told |\n|---|---|---|---|\n");
  Goal within{"G8", "step time of 2 to 4 sessions covers their mean", 0.94, 0.96};
  Goal beyond{"G8", "step time of 5 and more sessions covers the mean of all", 0.94, 0.96};
  for (const auto& [sessions, blocks] :
       {std::pair(2U, 5U), {2U, 10U}, {4U, 3U}, {5U, 3U}, {6U, 3U}, {10U, 2U}}) {
    const SessionTally tally = run_sessions(sessions, blocks, kReplicates, seed++);
    fmt::print("| {} x {} | {} | {} | {} |\n",
               sessions,
               blocks,
               percent(tally.within),
               percent(tally.beyond),
               percent(tally.told));
    (sessions < 5 ? within : beyond).add((sessions < 5 ? tally.within : tally.beyond).share());
    if (sessions < 5) {
      told.add(tally.told.share());
    }
  }
  Goal by_session{"G8", "A/A called, 5 to 10 sessions that differ by cell", 0.0, 0.055};
  for (const std::size_t sessions : {5U, 6U, 10U}) {
    by_session.add(run_session_verdicts(sessions, kReplicates, seed++).share());
  }
  fmt::print("\n");
  return report({called, within, beyond, by_session, told});
}

bool check_lost_trials(std::uint64_t& seed) {
  fmt::print(
      "\n| ten blocks, 10 % drift, late and early trials lost: common blocks | A/A called faster "
      "or "
      "slower | told |\n|---|---|---|\n");
  Goal called{"G9", "A/A called, trials lost under drift", 0.0, 0.055};
  Goal told{"G9", "the sentence says what is left out", 1.0, 1.0};
  for (const std::size_t common : {0U, 2U, 4U, 6U, 8U}) {
    const VerdictTally tally = run_lost_trials(common, kReplicates, seed++);
    fmt::print("| {} | {} | {} |\n", common, percent(tally.called), percent(tally.told));
    called.add(tally.called.share());
    told.add(tally.told.share());
  }
  fmt::print("\n");
  return report({called, told});
}

void print_speedups(
    Launches base, Launches cell, double drift, std::size_t blocks, const MeansTally& tally) {
  fmt::print("| {} | {} | {:.0f} | {} | {} | {} |\n",
             name_of(base),
             name_of(cell),
             100.0 * drift,
             blocks,
             percent(tally.covered),
             percent(tally.told));
}

bool check_speedups(std::uint64_t& seed) {
  fmt::print(
      "\n| base | cell | drift % | blocks | speedup covers the ratio of means | told of slow "
      "launches "
      "|\n|---|---|---|---|---|---|\n");
  Goal means{"G10", "speedup, ordinary noises, drift 0 to 10 %, T = 5..50", 0.94, 0.96};
  Goal unequal{"G10", "speedup, 3 % against 30 % spread, T = 5..50", 0.94, 0.96};
  Goal told{"G10", "slow launches below 29 trials: the sentence says so", 0.95, 1.0};
  Goal beyond{"G10 beyond, not judged:", "speedup, 10 % of one side's launches x3", 0.94, 0.96};
  for (const Launches launches : {Launches::kNoTrialEffect,
                                  Launches::kTrial1,
                                  Launches::kTrial3,
                                  Launches::kAutocorrelated,
                                  Launches::kLognormal15}) {
    for (const double drift : {0.0, 0.05, 0.10}) {
      for (const std::size_t blocks : {5U, 10U, 20U, 50U}) {
        // Drift inside a block is no noise: without a trial effect it is most of what there is.
        const bool is_judged = launches != Launches::kNoTrialEffect || drift == 0.0;
        const std::size_t replicates = blocks <= 20 ? kReplicates : kReplicates / 2;
        const MeansTally tally =
            run_speedups(launches, launches, blocks, drift, replicates, seed++);
        print_speedups(launches, launches, drift, blocks, tally);
        if (is_judged) {
          means.add(tally.covered.share());
        }
      }
    }
  }
  for (const std::size_t blocks : {5U, 10U, 20U, 50U}) {
    const MeansTally wide =
        run_speedups(Launches::kTrial3, Launches::kNormal30, blocks, 0.0, kReplicates, seed++);
    print_speedups(Launches::kTrial3, Launches::kNormal30, 0.0, blocks, wide);
    unequal.add(wide.covered.share());
    const MeansTally slow =
        run_speedups(Launches::kTrial1, Launches::kSlow, blocks, 0.0, kReplicates, seed++);
    print_speedups(Launches::kTrial1, Launches::kSlow, 0.0, blocks, slow);
    beyond.add(slow.covered.share());
    if (blocks < 29) {
      told.add(slow.told.share());
    }
  }
  fmt::print("\n");
  beyond.print();
  return report({means, unequal, told});
}

bool check_targets(std::uint64_t& seed) {
  Goal met{"G11", "a target over 7 cells on its level: some cell called met", 0.0, 0.055};
  Goal missed{"G11", "the same: target called missed", 0.0, 0.055};
  Goal disagrees{"G11", "cells decided by a target though no difference is detected", 0.0, 0.0};
  const TargetTally tally = run_targets(kReplicates, seed++);
  met.add(tally.cell_met.share());
  missed.add(tally.missed.share());
  disagrees.add(tally.disagrees.share());
  return report({met, missed, disagrees});
}

bool check_sides(std::uint64_t& seed) {
  fmt::print(
      "\n| sessions a side, ten trials each | CV of sessions % | A/A called faster or slower | by "
      "Welch over trials | 5 % found | 5 % found side by side in ten blocks, trials of 3 % | A/A "
      "called side by side "
      "|\n|---|---|---|---|---|---|---|\n");
  Goal called{"G17", "A/A called between sessions of CV 0 to 5 %", 0.0, 0.055};
  Goal trials{"G17", "negative control: Welch over trials, sessions of 1 % and more", 0.3, 1.0};
  Goal found{"G17", "5 % found side by side", 0.80, 1.0};
  Goal called_beside{"G17", "A/A called side by side, sessions of CV 0 to 5 %", 0.0, 0.055};
  for (const std::size_t sessions : {5U, 10U}) {
    for (const double session_sd : {0.0, 0.01, 0.02, 0.05}) {
      const SidesTally same = run_sides(sessions, session_sd, 0.0, kReplicates, seed++);
      const SidesTally faster = run_sides(sessions, session_sd, 0.05, kReplicates / 10, seed++);
      const Tally beside = run_interleaved(session_sd, 0.05, kReplicates, seed++);
      // Seeds of their own, so that those of the goals after this one stay.
      const Tally same_beside = run_interleaved(session_sd, 0.0, kReplicates, seed + 1'000'000);
      called_beside.add(same_beside.share());
      fmt::print("| {} | {:.0f} | {} | {} | {} | {} | {} |\n",
                 sessions,
                 100.0 * session_sd,
                 percent(same.called),
                 percent(same.called_trials),
                 percent(faster.called),
                 percent(beside),
                 percent(same_beside));
      called.add(same.called.share());
      found.add(beside.share());
      if (session_sd > 0.0) {
        trials.add(same.called_trials.share());
      }
    }
  }
  fmt::print("\n");
  return report({called, trials, found, called_beside});
}

bool check_histories(std::uint64_t& seed) {
  fmt::print(
      "\n| cells | sessions of CV 2 % | a change named, there is none | 5 % in one cell found | "
      "its place among those named |\n|---|---|---|---|---|\n");
  Goal called{"G18", "a history without a change is given one", 0.0, 0.055};
  Goal placed{"G18", "places named hold the change", 0.90, 1.0};
  for (const std::size_t cells : {1U, 6U}) {
    for (const std::size_t sessions : {10U, 15U, 30U, 60U}) {
      const HistoryTally none = run_histories(cells, sessions, 0.0, kReplicates, seed++);
      const HistoryTally shifted = run_histories(cells, sessions, 0.05, kReplicates / 20, seed++);
      fmt::print("| {} | {} | {} | {} | {} |\n",
                 cells,
                 sessions,
                 percent(none.called),
                 percent(shifted.found),
                 percent(shifted.placed));
      called.add(none.called.share());
      if (sessions > 10) {  // among ten it is found too rarely to judge its place
        placed.add(shifted.placed.share());
      }
    }
  }
  fmt::print("\n");
  return report({called, placed});
}

}  // namespace

bool check_compared_studies(std::uint64_t first_seed) {
  return check_all(first_seed,
                   {check_sessions,
                    check_lost_trials,
                    check_speedups,
                    check_targets,
                    check_sides,
                    check_histories});
}

}  // namespace scalestudy::test

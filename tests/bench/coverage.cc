// Do the intervals and words hold what they promise? Synthetic studies with a known truth, held to
// the goals G1 to G7, G22 and G23 of stats/METHODS.md, and as whole studies to G8 to G21 and G24.
// Exit code 1 when a goal is not met.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/coverage_goals.h"
#include "tests/bench/coverage_studies.h"
#include "tests/bench/stopwatch.h"
#include "tests/stats/simulation/curves.h"
#include "tests/stats/simulation/experiment.h"
#include "tests/stats/simulation/links.h"
#include "tests/stats/simulation/periods.h"

namespace {

using namespace scalestudy;        // NOLINT(google-build-using-namespace): one small program
using namespace scalestudy::test;  // NOLINT(google-build-using-namespace): the same
using test::Goal;
using test::percent;

constexpr std::size_t kReplicates = 10'000;

// Cells of up to 20 trials are cheap: a standard error of 0.11 points, not 0.22, lets the bands of
// G1 and G3 tell 95 % from 94 % in each of 25 settings.
std::size_t cell_replicates(std::size_t trials) {
  return trials <= 20 ? 4 * kReplicates : kReplicates;
}

constexpr std::uint64_t kFirstSeed = 20261121;

// A new seed for every experiment, in the order of the program.
std::uint64_t next_seed() {
  static std::uint64_t seed = kFirstSeed;
  return seed++;
}

std::string with_width(const Tally& tally) {
  return tally.total == 0
             ? "-"
             : fmt::format("{:.1f} ({:.2f})", 100.0 * tally.share(), 100.0 * tally.mean_width());
}

struct CellGoals {
  Goal mean{"G1", "mean_ci_t, ordinary noise, T = 3..50", 0.94, 0.96};
  Goal slow_steps{"G1", "mean_ci_t, 1 % slow steps", 0.92, 1.0};
  Goal called{"G3", "A/A called faster or slower, ordinary noise, delta", 0.0, 0.055};
  Goal called_paired{"G3", "A/A called faster or slower, ordinary noise, paired", 0.0, 0.055};
  Goal pooled{"G7", "negative control: pooled steps cover", 0.0, 0.60};
  Goal pooled_words{"G7", "negative control: pooled steps call A/A different", 0.50, 1.0};
};

bool is_ordinary(Scenario scenario) {
  return std::find(std::begin(kOrdinary), std::end(kOrdinary), scenario) != std::end(kOrdinary);
}

void judge_cells(CellGoals& goals, Scenario scenario, const CellTally& tally) {
  if (is_ordinary(scenario)) {
    goals.mean.add(tally.trial_t.share());
    goals.called.add(tally.called.share());
    goals.called_paired.add(tally.called_paired.share());
  }
  if (scenario == Scenario::kSlowSteps) {
    goals.slow_steps.add(tally.trial_t.share());
  }
  if (scenario == Scenario::kTrial1 || scenario == Scenario::kTrial3) {
    goals.pooled.add(tally.pooled_t.share());
    goals.pooled_words.add(tally.pooled_rejected.share());
  }
}

// The control has teeth only if the goal of the right interval rejects the wrong one.
bool rejects_pooled_steps(const Goal& pooled) {
  Goal as_if_right{"G1", "pooled steps", 0.94, 0.96};
  as_if_right.add(pooled.least());
  as_if_right.add(pooled.most());
  return !as_if_right.is_met();
}

bool check_cells() {
  fmt::print(
      "\n| noise (100 steps) | T | mean_ci_t (width %) | median_ci_order (width %) | pooled steps "
      "| "
      "A/A called, delta | A/A called, paired | A/A equivalent within 2 % | A/A pooled p < 0.05 |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  CellGoals goals;
  for (const Scenario scenario : {Scenario::kNoTrialEffect,
                                  Scenario::kTrial1,
                                  Scenario::kTrial3,
                                  Scenario::kAutocorrelated,
                                  Scenario::kLognormal15,
                                  Scenario::kSlowSteps,
                                  Scenario::kSlowTrials,
                                  Scenario::kWarmup}) {
    for (const std::size_t trials : {3U, 5U, 10U, 20U, 50U}) {
      const CellTally tally = run_cells(scenario, trials, cell_replicates(trials), next_seed());
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                 name_of(scenario),
                 trials,
                 with_width(tally.trial_t),
                 is_ordinary(scenario) ? with_width(tally.order_median) : "-",
                 percent(tally.pooled_t),
                 percent(tally.called),
                 percent(tally.called_paired),
                 percent(tally.equivalent),
                 percent(tally.pooled_rejected));
      judge_cells(goals, scenario, tally);
    }
  }
  Goal families{"G3", "Holm: any of 7 A/A cells called, T = 5 and 10", 0.0, 0.055};
  for (const std::size_t trials : {5U, 10U}) {
    families.add(run_families(7, trials, kReplicates, next_seed()).share());
  }
  fmt::print("\n");
  const bool has_teeth = rejects_pooled_steps(goals.pooled);
  fmt::print("G7 {}: the goal of mean_ci_t rejects pooled steps\n", has_teeth ? "met" : "NOT MET");
  return test::report({goals.mean,
                       goals.slow_steps,
                       goals.called,
                       goals.called_paired,
                       families,
                       goals.pooled,
                       goals.pooled_words}) &&
         has_teeth;
}

// Shown without a goal of their own: the spec sets none.
void show_bootstraps_and_tails() {
  fmt::print(
      "\n| trial 1 %, step 3 %; 2000 replicates | T | percentile | BCa | bootstrap_t | "
      "tail_across_trials p95 (10000) |\n|---|---|---|---|---|---|\n");
  for (const std::size_t trials : {3U, 5U, 10U, 20U, 50U}) {
    const BootstrapTally tally = run_bootstraps(Scenario::kTrial1, trials, 2000, next_seed());
    fmt::print("| | {} | {} | {} | {} | {} |\n",
               trials,
               with_width(tally.percentile),
               with_width(tally.bca),
               with_width(tally.studentised),
               with_width(run_tails(trials, kReplicates, next_seed())));
  }
}

bool check_ratios() {
  fmt::print("\n| log_ratio_delta: CV % | T | coverage (width %) |\n|---|---|---|\n");
  Goal equal{"G2", "log_ratio_delta, equal T >= 5", 0.94, 0.96};
  Goal small{"G2", "log_ratio_delta, 3x3 and 3x10", 0.93, 0.97};
  for (const auto& [cv_a, cv_b] : {std::pair(0.02, 0.02), {0.01, 0.05}, {0.10, 0.10}}) {
    for (const auto& [n_a, n_b] :
         {std::pair(3U, 3U), {3U, 10U}, {5U, 5U}, {10U, 10U}, {20U, 20U}, {50U, 50U}}) {
      const Tally tally = run_ratios(
          {.n_a = n_a, .n_b = n_b, .cv_a = cv_a, .cv_b = cv_b}, kReplicates, next_seed());
      fmt::print("| {:.0f}/{:.0f} | {}x{} | {} |\n",
                 100.0 * cv_a,
                 100.0 * cv_b,
                 n_a,
                 n_b,
                 with_width(tally));
      (n_a == 3 ? small : equal).add(tally.share());
    }
  }
  fmt::print("\n| log_ratio_delta_paired: drift % | T | coverage (width %) |\n|---|---|---|\n");
  Goal paired{"G2", "log_ratio_delta_paired, 0 to 10 % session drift", 0.94, 0.96};
  for (const double drift : {0.0, 0.05, 0.10}) {
    for (const std::size_t blocks : {5U, 10U}) {
      const Tally tally = run_paired_ratios(blocks, drift, kReplicates, next_seed());
      fmt::print("| {:.0f} | {} | {} |\n", 100.0 * drift, blocks, with_width(tally));
      paired.add(tally.share());
    }
  }
  fmt::print("\n");
  return test::report({equal, small, paired});
}

bool check_stopping() {
  fmt::print(
      "\n| stopping_rule, CV 3 % | target % | coverage (width %) | mean trials "
      "|\n|---|---|---|---|\n");
  Goal goal{"G4", "interval after the default rule (T_min 10, 2 extra)", 0.935, 1.0};
  for (const double target : {0.03, 0.02, 0.01}) {
    stats::StoppingPlan plan;
    plan.rel_half_width = target;
    const StoppingTally defaults = run_stopping(plan, kReplicates, next_seed());
    goal.add(defaults.interval.share());
    stats::StoppingPlan eager = plan;
    eager.t_min = 2;
    eager.extra = 0;
    const StoppingTally hasty = run_stopping(eager, kReplicates, next_seed());
    for (const auto& [name, tally] :
         {std::pair("T_min 10 + 2", &defaults), {"T_min 2 + 0 (not offered)", &hasty}}) {
      fmt::print("| {} | {:.0f} | {} | {:.1f} |\n",
                 name,
                 100.0 * target,
                 with_width(tally->interval),
                 tally->mean_trials);
    }
  }
  fmt::print("\n");
  return test::report({goal});
}

void print_threshold(Curve curve,
                     std::size_t trials,
                     const std::string& crossing,
                     const ThresholdTally& tally) {
  const std::string width =
      tally.found == 0 ? "-" : fmt::format("x{:.2f}", std::exp(tally.log_width));
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
             name_of(curve),
             trials,
             crossing,
             percent(tally.linear),
             percent(tally.curvature),
             width,
             percent(tally.bracket),
             percent(tally.two_sided),
             percent(tally.crossed),
             percent(tally.unresolved));
}

bool check_thresholds() {
  fmt::print(
      "\n| curve | T | crossing | set_linear | set_curvature | width | bracket | two-sided | "
      "status crossed | unresolved |\n|---|---|---|---|---|---|---|---|---|---|\n");
  Goal set{"G5", "threshold_piecewise set_curvature, T = 3..30", 0.95, 1.0};
  // On the sharply bent curve second differences of the values no longer bound the bend between
  // them once noise is small: a limit of the method, so it is shown beside the goal and not judged.
  Goal beyond{"G5 beyond, not judged:", "set_curvature, T = 50 and 200", 0.95, 1.0};
  Goal bracket{"G5", "threshold_piecewise bracket", 0.98, 1.0};
  Goal wrong{"G5", "wrongly crossed, crossing outside or on the end", 0.0, 0.03};
  for (const Curve curve : kCurves) {
    for (const std::size_t trials : {3U, 5U, 10U, 30U, 50U, 200U}) {
      const ThresholdTally tally = run_thresholds(curve, trials, 0.0, kReplicates, next_seed());
      print_threshold(curve, trials, "inside", tally);
      bracket.add(tally.bracket.share());
      (trials <= 30 ? set : beyond).add(tally.curvature.share());
    }
    for (const double crossing : {kLadderLow / 1.5, kLadderLow, kLadderHigh, 1.5 * kLadderHigh}) {
      const ThresholdTally tally = run_thresholds(curve, 5, crossing, kReplicates, next_seed());
      print_threshold(curve, 5, fmt::format("{:.1f}", crossing), tally);
      wrong.add(tally.crossed.share());
    }
  }
  fmt::print("\n");
  beyond.print();
  return test::report({set, bracket, wrong});
}

bool check_equivalence() {
  fmt::print("\n| true ratio | T | equivalent within 2 %, delta | paired |\n|---|---|---|---|\n");
  Goal goal{"G6", "called equivalent on the margin", 0.0, 0.055};
  for (const double ratio : {1.02, 1.0 / 1.02, 1.0}) {
    for (const std::size_t trials : {3U, 5U, 10U, 20U, 50U}) {
      const Tally delta = run_equivalence(trials, ratio, false, kReplicates, next_seed());
      const Tally paired = run_equivalence(trials, ratio, true, kReplicates, next_seed());
      fmt::print("| {:.4f} | {} | {} | {} |\n", ratio, trials, percent(delta), percent(paired));
      if (ratio != 1.0) {
        goal.add(delta.share());
        goal.add(paired.share());
      }
    }
  }
  fmt::print("\n");
  return test::report({goal});
}

void show_laws() {
  fmt::print(
      "\n| fits to N = 1..16, CV 2 % | T | USL sigma | USL kappa | kappa at bound | Amdahl s "
      "|\n|---|---|---|---|---|---|\n");
  for (const std::size_t trials : {3U, 5U, 10U}) {
    const LawTally tally = run_laws(trials, kReplicates, next_seed());
    fmt::print("| | {} | {} | {} | {} | {} |\n",
               trials,
               percent(tally.sigma),
               percent(tally.kappa),
               percent(tally.kappa_at_bound),
               percent(tally.serial));
  }
}

bool check_lines() {
  fmt::print(
      "\n| alpha_beta_fit to 8 B .. 64 MiB, CV 2 % | T | alpha (width %) | bandwidth (width %) "
      "|\n|---|---|---|---|\n");
  Goal goal{"alpha_beta_fit", "latency and bandwidth, T = 3..10", 0.94, 0.96};
  for (const std::size_t trials : {3U, 5U, 10U}) {
    const LineTally tally = run_lines(trials, kReplicates, next_seed());
    fmt::print(
        "| | {} | {} | {} |\n", trials, with_width(tally.alpha), with_width(tally.bandwidth));
    goal.add(tally.alpha.share());
    goal.add(tally.bandwidth.share());
  }
  fmt::print("\n");
  return test::report({goal});
}

// Cells of 1 to 20 trials of 50 to 300 steps, without a period; and with one, of 8 trials of 60.
bool check_periods() {
  constexpr std::size_t replicates = 4'000;
  fmt::print(
      "\n| period, %% of cells | said without one | one of 5, x1.1, found |\n|---|---|---|\n");
  Goal said{"G22", "a period said of step times that have none", 0.0, 0.055};
  Goal found{"G22", "every 5th step half as long again found, but under a heavy tail", 0.9, 1.0};
  for (const StepNoise noise : kStepNoises) {
    std::vector<double> shares;
    for (const std::size_t steps : {50U, 100U, 300U}) {
      for (const std::size_t trials : {1U, 5U, 20U}) {
        shares.push_back(
            run_periods({.noise = noise, .steps = steps, .trials = trials}, replicates, next_seed())
                .found.share());
        said.add(shares.back());
      }
    }
    const auto planted = [&](double factor) {
      return run_periods({.noise = noise, .steps = 60, .trials = 8, .period = 5, .factor = factor},
                         replicates,
                         next_seed())
          .right;
    };
    if (noise != StepNoise::kHeavy) {
      found.add(planted(1.5).share());
    }
    fmt::print("| {} | {:.2f} to {:.2f} | {} |\n",
               name_of(noise),
               100.0 * *std::ranges::min_element(shares),
               100.0 * *std::ranges::max_element(shares),
               percent(planted(1.1)));
  }
  fmt::print("\n");
  return test::report({said, found});
}

// Links of 8 and 16 devices searched by bisection, and each by itself; no margin helps.
bool check_links() {
  constexpr std::size_t replicates = 2'000;
  // By themselves pairs err in nearly 5 %: 2,000 would miss the band of 5.5 one time in six.
  constexpr std::size_t replicates_by_pair = 10'000;
  fmt::print(
      "\n| links | slow | bisection: wrong, found, groups | each pair: wrong, found "
      "|\n|---|---|---|---|\n");
  Goal wrong{"G23", "a link is named that is not slow", 0.0, 0.055};
  Goal found{"G23", "one link 20 % slower found, trials of 3 %, 8 blocks", 0.9, 1.0};
  for (const std::size_t devices : {8U, 16U}) {
    for (const std::size_t slow : {0U, 1U, 2U}) {
      LinkSetting setting{.devices = devices, .slow_links = slow, .margin = 0.0};
      const LinkTally halved = run_links(setting, replicates, next_seed());
      setting.is_each_pair = true;
      const LinkTally each = run_links(setting, replicates_by_pair, next_seed());
      wrong.add(halved.named_wrongly.share());
      wrong.add(each.named_wrongly.share());
      if (slow == 1) {
        found.add(halved.found.share());
      }
      fmt::print("| {} | {} | {}, {}, {:.1f} | {}, {} |\n",
                 devices * (devices - 1) / 2,
                 slow,
                 percent(halved.named_wrongly),
                 percent(halved.found),
                 static_cast<double>(halved.measured) / static_cast<double>(replicates),
                 percent(each.named_wrongly),
                 percent(each.found));
    }
  }
  fmt::print("\n");
  return test::report({wrong, found});
}

}  // namespace

int main() {
  fmt::print(
      "coverage: {} replicates ({} for cells of T <= 20), seeds from {}; percent, nominal 95\n",
      kReplicates,
      cell_replicates(3),
      kFirstSeed);
  bool all_met = true;
  const double took_s = test::seconds([&] {
    all_met = check_cells() && all_met;
    show_bootstraps_and_tails();
    all_met = check_ratios() && all_met;
    all_met = check_stopping() && all_met;
    all_met = check_thresholds() && all_met;
    all_met = check_equivalence() && all_met;
    show_laws();
    all_met = check_lines() && all_met;
    all_met = check_periods() && all_met;
    all_met = check_links() && all_met;
    all_met = test::check_compared_studies(kFirstSeed + 10'000) && all_met;
    all_met = test::check_claimed_studies(kFirstSeed + 20'000) && all_met;
    all_met = test::check_refined_studies(kFirstSeed + 30'000) && all_met;
  });
  fmt::print(
      "\ncoverage: {} in {:.0f} s\n", all_met ? "all goals met" : "a goal was NOT met", took_s);
  return all_met ? 0 : 1;
}

#include "tests/stats/simulation/experiment.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "stats/compare.h"
#include "stats/equivalence.h"
#include "stats/mean_interval.h"
#include "stats/median_interval.h"
#include "stats/multiplicity.h"
#include "stats/ratio_interval.h"
#include "stats/reference/adaptive.h"
#include "stats/reference/bootstrap.h"
#include "stats/reference/tail.h"
#include "stats/verdict.h"

namespace scalestudy::test {
namespace {

constexpr double kCellLevel = 0.95;
constexpr double kAlpha = 0.05;
constexpr double kMargin = 0.02;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The word of one comparison, as analysis makes it.
stats::VerdictWord word_of(const stats::RatioInterval& ratio) {
  const stats::Equivalence tost = stats::tost_ratio(ratio, kMargin, kAlpha);
  return stats::verdict({.status = ratio.status,
                         .ratio = ratio.ratio,
                         .lo = ratio.lo,
                         .hi = ratio.hi,
                         .p_adjusted = ratio.p,
                         .p_tost_adjusted = tost.p,
                         .margin = kMargin,
                         .alpha = kAlpha})
      .word;
}

bool is_called_different(stats::VerdictWord word) {
  return word == stats::VerdictWord::kFaster || word == stats::VerdictWord::kSlower;
}

std::vector<double> normal_trials(std::size_t n, double mean, double cv, Noise& noise) {
  std::vector<double> trials(n);
  for (double& trial : trials) {
    trial = mean * (1.0 + cv * noise.normal());
  }
  return trials;
}

std::vector<double> lognormal_trials(std::size_t n, double middle, double sd, Noise& noise) {
  std::vector<double> trials(n);
  for (double& trial : trials) {
    trial = middle * noise.factor(sd);
  }
  return trials;
}

}  // namespace

void Tally::add_interval(double lo, double hi, double truth) {
  add(lo <= truth && truth <= hi);
  width += (hi - lo) / truth;
}

void Tally::add(bool hit) {
  ++total;
  hits += hit ? 1 : 0;
}

double Tally::share() const {
  return total == 0 ? kNone : static_cast<double>(hits) / static_cast<double>(total);
}

double Tally::mean_width() const {
  return total == 0 ? kNone : width / static_cast<double>(total);
}

CellTally run_cells(Scenario scenario,
                    std::size_t trials,
                    std::size_t replicates,
                    std::uint64_t seed) {
  Noise noise(seed);
  CellTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const Cell cell = simulate_cell(scenario, trials, noise);
    const Cell again = simulate_cell(scenario, trials, noise);
    const stats::MeanInterval t = stats::mean_ci_t(cell.means, kCellLevel);
    tally.trial_t.add_interval(*t.lo, *t.hi, true_mean(scenario));
    const stats::MeanInterval pooled = stats::mean_ci_t(cell.pooled, kCellLevel);
    tally.pooled_t.add_interval(*pooled.lo, *pooled.hi, true_mean(scenario));
    const stats::MedianInterval median = stats::median_ci_order(cell.means, kCellLevel);
    if (median.lo) {
      tally.order_median.add_interval(*median.lo, *median.hi, true_median(scenario));
    }
    const stats::VerdictWord word =
        word_of(stats::log_ratio_delta(cell.means, again.means, kCellLevel));
    const stats::VerdictWord paired =
        word_of(stats::log_ratio_delta_paired(cell.means, again.means, kCellLevel));
    tally.called.add(is_called_different(word));
    tally.called_paired.add(is_called_different(paired));
    tally.equivalent.add(word == stats::VerdictWord::kEquivalent);
    tally.pooled_rejected.add(*stats::welch_t(cell.pooled, again.pooled, kCellLevel).p < kAlpha);
  }
  return tally;
}

BootstrapTally run_bootstraps(Scenario scenario,
                              std::size_t trials,
                              std::size_t replicates,
                              std::uint64_t seed) {
  Noise noise(seed);
  BootstrapTally tally;
  const double truth = true_mean(scenario);
  const auto count = [&](Tally& to, const stats::BootstrapInterval& interval) {
    if (interval.lo) {
      to.add_interval(*interval.lo, *interval.hi, truth);
    }
  };
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> x = simulate_cell(scenario, trials, noise).means;
    const stats::BootstrapPlan plan{.seed = seed + r};
    constexpr auto mean = stats::ResampledStatistic::kMean;
    count(tally.percentile, stats::bootstrap_percentile(x, mean, plan));
    count(tally.bca, stats::bootstrap_bca(x, mean, plan));
    count(tally.studentised, stats::bootstrap_t(x, plan));
  }
  return tally;
}

Tally run_tails(std::size_t trials, std::size_t replicates, std::uint64_t seed) {
  constexpr double p = 0.95;
  constexpr std::size_t many = 100'000;
  Noise noise(seed);
  double sum = 0.0;
  for (std::size_t t = 0; t < many; ++t) {
    const std::vector<std::vector<double>> one{simulate_trial(Scenario::kTrial1, noise)};
    sum += stats::tail_across_trials(one, p, kCellLevel).trial_quantiles.front();
  }
  const double truth = sum / static_cast<double>(many);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<std::vector<double>> steps;
    for (std::size_t t = 0; t < trials; ++t) {
      steps.push_back(simulate_trial(Scenario::kTrial1, noise));
    }
    const stats::MeanInterval across =
        stats::tail_across_trials(steps, p, kCellLevel).across_trials;
    tally.add_interval(*across.lo, *across.hi, truth);
  }
  return tally;
}

Tally run_ratios(const RatioDesign& design, std::size_t replicates, std::uint64_t seed) {
  constexpr double ratio = 3.4;
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> a = normal_trials(design.n_a, ratio, design.cv_a, noise);
    const std::vector<double> b = normal_trials(design.n_b, 1.0, design.cv_b, noise);
    const stats::RatioInterval interval = stats::log_ratio_delta(a, b, kCellLevel);
    tally.add_interval(*interval.lo, *interval.hi, ratio);
  }
  return tally;
}

Tally run_paired_ratios(std::size_t blocks,
                        double drift,
                        std::size_t replicates,
                        std::uint64_t seed) {
  constexpr double ratio = 3.4;
  constexpr double sd = 0.02;
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> a = lognormal_trials(blocks, ratio, sd, noise);
    std::vector<double> b = lognormal_trials(blocks, 1.0, sd, noise);
    for (std::size_t k = 0; k < blocks; ++k) {
      // A block's two trials run one after the other, in random order, half a block apart.
      const bool is_a_first = noise.uniform() < 0.5;
      const auto at = [&](bool is_first) {
        const double position = static_cast<double>(k) + (is_first ? 0.0 : 0.5);
        return 1.0 + drift * position / static_cast<double>(blocks);
      };
      a[k] *= at(is_a_first);
      b[k] *= at(!is_a_first);
    }
    const stats::RatioInterval interval = stats::log_ratio_delta_paired(a, b, kCellLevel);
    tally.add_interval(*interval.lo, *interval.hi, ratio);
  }
  return tally;
}

Tally run_equivalence(
    std::size_t trials, double ratio, bool paired, std::size_t replicates, std::uint64_t seed) {
  constexpr double cv = 0.01;
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> a = lognormal_trials(trials, ratio, cv, noise);
    const std::vector<double> b = lognormal_trials(trials, 1.0, cv, noise);
    const stats::VerdictWord word = word_of(paired ? stats::log_ratio_delta_paired(a, b, kCellLevel)
                                                   : stats::log_ratio_delta(a, b, kCellLevel));
    tally.add(word == stats::VerdictWord::kEquivalent);
  }
  return tally;
}

Tally run_families(std::size_t comparisons,
                   std::size_t trials,
                   std::size_t replicates,
                   std::uint64_t seed) {
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> base = normal_trials(trials, 1.0, 0.02, noise);
    std::vector<std::optional<double>> p;
    for (std::size_t c = 0; c < comparisons; ++c) {
      p.push_back(
          stats::log_ratio_delta(base, normal_trials(trials, 1.0, 0.02, noise), kCellLevel).p);
    }
    bool is_any_called = false;
    for (const std::optional<double>& adjusted : stats::holm(p).adjusted) {
      is_any_called = is_any_called || *adjusted < kAlpha;
    }
    tally.add(is_any_called);
  }
  return tally;
}

StoppingTally run_stopping(const stats::StoppingPlan& plan,
                           std::size_t replicates,
                           std::uint64_t seed) {
  constexpr double cv = 0.03;
  Noise noise(seed);
  StoppingTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> trials = normal_trials(plan.t_max, 1.0, cv, noise);
    const std::size_t stop = *stats::stopping_rule(trials, plan).stop_at;
    const stats::MeanInterval interval =
        stats::mean_ci_t(std::span<const double>(trials).first(stop), kCellLevel);
    tally.interval.add_interval(*interval.lo, *interval.hi, 1.0);
    tally.mean_trials += static_cast<double>(stop) / static_cast<double>(replicates);
  }
  return tally;
}

}  // namespace scalestudy::test

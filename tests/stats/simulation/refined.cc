#include "tests/stats/simulation/refined.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/mean_interval.h"
#include "stats/ratio_interval.h"
#include "stats/refinement.h"
#include "stats/stopping.h"

namespace scalestudy::test {
namespace {

constexpr double kRefinedLevel = 0.95;
constexpr double kBlockSd = 0.02;
constexpr std::size_t kMostTrials = 50;

// One tested value: trials of base and cell, in blocks of their own.
struct Arms {
  std::vector<double> base;
  std::vector<double> cell;
};

stats::TestedValue tested_value(double x, const Arms& arms) {
  const stats::RatioInterval ratio =
      stats::log_ratio_delta_paired(arms.base, arms.cell, kRefinedLevel);
  return {.x = x, .g = std::log(*ratio.ratio), .se = *ratio.se_log, .df = *ratio.df};
}

bool is_precise(const std::vector<double>& times, std::size_t t_min) {
  const auto of = [&](std::size_t n) {
    return stats::mean_ci_t(std::span(times).first(n), kRefinedLevel);
  };
  return stats::stopping_rule(
             times.size(), of, {.rel_half_width = 0.02, .t_min = t_min, .t_max = kMostTrials})
      .stop_at.has_value();
}

bool is_enough(const RefinedStudy& study, double x, const Arms& arms) {
  if (arms.base.size() < study.trials) {
    return false;
  }
  switch (study.rule) {
    case TrialsRule::kFixed:
      return true;
    case TrialsRule::kPrecision:
      return is_precise(arms.base, study.trials) && is_precise(arms.cell, study.trials);
    case TrialsRule::kUntilSigned:
      break;
  }
  const stats::TestedValue value = tested_value(x, arms);
  const double t = stats::mean_ci_t(arms.base, kRefinedLevel).t_crit.value_or(0.0);
  return arms.base.size() >= kMostTrials || std::abs(value.g) > t * value.se;
}

stats::TestedValue measure(const RefinedStudy& study, double x, double crossing, Noise& noise) {
  Arms arms;
  while (!is_enough(study, x, arms)) {
    const double block = noise.factor(kBlockSd);
    arms.base.push_back(std::exp(log_speedup(study.curve, x, crossing)) * block *
                        noise.factor(study.trial_sd));
    arms.cell.push_back(block * noise.factor(study.trial_sd));
  }
  return tested_value(x, arms);
}

}  // namespace

RefinedTally run_refined(const RefinedStudy& study, std::size_t replicates, std::uint64_t seed) {
  Noise noise(seed);
  RefinedTally tally;
  const double range = std::ldexp(1.0, study.values - 1);
  double added = 0.0;
  double log_widths = 0.0;
  for (std::size_t r = 0; r < replicates; ++r) {
    const double truth = kLadderLow * std::pow(range, noise.uniform());
    std::vector<stats::TestedValue> values;
    std::vector<double> tried;
    const auto test_value = [&](double x) {
      const auto place = std::ranges::lower_bound(values, x, {}, &stats::TestedValue::x);
      values.insert(place, measure(study, x, truth, noise));
      tried.push_back(x);
    };
    for (int i = 0; i < study.values; ++i) {
      test_value(std::ldexp(kLadderLow, i));
    }
    stats::Threshold threshold;
    stats::RefineStep step;
    for (;;) {
      threshold =
          stats::threshold_piecewise(values, 0.0, kRefinedLevel, stats::Direction::kIncreasing);
      const std::size_t so_far = values.size() - static_cast<std::size_t>(study.values);
      step = stats::refine(values,
                           threshold,
                           tried,
                           kRefinedLevel,
                           {.width = study.width, .most = study.most - so_far, .grid = study.grid});
      if (!step.next) {
        added += static_cast<double>(so_far);
        break;
      }
      test_value(*step.next);
    }
    tally.bracket.add(threshold.bracket.lo.value_or(truth) <= truth &&
                      truth <= threshold.bracket.hi.value_or(truth));
    tally.reached.add(step.step == stats::Refinement::kReached);
    const bool has_set = threshold.status == stats::Status::kCrossed ||
                         threshold.status == stats::Status::kCrossedDown ||
                         threshold.status == stats::Status::kMultiple ||
                         threshold.status == stats::Status::kUnresolved;
    if (has_set && !threshold.set_curvature.empty() && !stats::is_at_end(threshold, values)) {
      const double lo = threshold.set_curvature.front().lo;
      const double hi = threshold.set_curvature.back().hi;
      tally.interval.add(lo <= truth && truth <= hi);
      log_widths += std::log(hi / lo);
    }
  }
  tally.added = added / static_cast<double>(replicates);
  tally.log_width = log_widths / static_cast<double>(tally.interval.total);
  return tally;
}

}  // namespace scalestudy::test

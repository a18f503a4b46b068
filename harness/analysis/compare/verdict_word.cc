#include "harness/analysis/compare/verdict_word.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "stats/distributions.h"

namespace scalestudy {
namespace {

bool is_constant(const CellObservation& cell, const MetricRequest& request) {
  double TrialMetric::*const statistic = statistic_of(request);
  std::optional<double> first;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.metrics.find(request.metric);
    if (found != trial.metrics.end() &&
        first.value_or(found->second.*statistic) != found->second.*statistic) {
      return false;
    }
    first = found == trial.metrics.end() ? first : found->second.*statistic;
  }
  return true;
}

// Whether every trial with a value of the metric has 0.
bool is_zero(const CellObservation& cell, const MetricRequest& request) {
  return std::ranges::all_of(cell.trials, [&](const TrialObservation& trial) {
    const auto found = trial.metrics.find(request.metric);
    return found == trial.metrics.end() || found->second.*statistic_of(request) == 0.0;
  });
}

// A ratio of values of a metric where less is better is turned round.
stats::Estimate of_the_better(const Comparison& comparison, const stats::Estimate& ratio) {
  const bool is_lower_better =
      comparison.request != nullptr && !comparison.request->is_higher_better;
  return is_lower_better ? stats::invert_estimate(ratio, 1.0) : ratio;
}

}  // namespace

Verdict stored_verdict(stats::VerdictWord word) {
  switch (word) {
    case stats::VerdictWord::kNotEnoughData:
      return Verdict::kNotEnoughData;
    case stats::VerdictWord::kEquivalent:
      return Verdict::kEquivalent;
    case stats::VerdictWord::kFaster:
      return Verdict::kFaster;
    case stats::VerdictWord::kSlower:
      return Verdict::kSlower;
    case stats::VerdictWord::kNoDetectableDifference:
      return Verdict::kNoDetectableDifference;
  }
  throw std::logic_error("stored_verdict: not a VerdictWord");
}

Verdict stored_verdict(const Comparison& comparison, stats::VerdictWord word) {
  const Verdict verdict = stored_verdict(word);
  const bool is_of_time = comparison.request == nullptr && !is_cheapest(comparison.row.quantity);
  if (is_of_time) {
    return verdict;
  }
  return verdict == Verdict::kFaster   ? Verdict::kBetter
         : verdict == Verdict::kSlower ? Verdict::kWorse
                                       : verdict;
}

bool is_exact(const Comparison& comparison) {
  return comparison.request != nullptr && comparison.row.status == RowStatus::kZeroVariance &&
         comparison.row.value.value_or(0.0) > 0.0;
}

std::string describe_exact(const Comparison& comparison) {
  if (!is_exact(comparison)) {
    return "";
  }
  if (is_constant(*comparison.cell, *comparison.request) &&
      is_constant(*comparison.base, *comparison.request)) {
    return "the same in all trials";
  }
  return std::string("the ratio is the same in all ") +
         (comparison.row.method == RatioMethod::kSessions ? "sessions" : "blocks");
}

std::string describe_lack(const Comparison& comparison) {
  const ComparisonRow& row = comparison.row;
  if (row.status == RowStatus::kZeroVariance) {
    return std::string(row.method == RatioMethod::kIndependent ? "the trials do not vary at all"
                       : row.method == RatioMethod::kSessions
                           ? "the ratio is the same in all sessions"
                           : "the ratio is the same in all blocks") +
           ", so nothing can be tested";
  }
  if (row.status == RowStatus::kInvalidInput && comparison.request != nullptr) {
    return is_zero(*comparison.base, *comparison.request)
               ? row.quantity + " of the base is 0 in all trials"
               : "a value of " + row.quantity + " is not a positive number";
  }
  if (row.status == RowStatus::kInvalidInput) {
    return "a step time is not a positive number";
  }
  for (const CellObservation* side : {comparison.cell, comparison.base}) {
    if (side->trials.empty()) {
      return survivors_note(*side).empty()
                 ? "no trial of " + describe_cell(side->row) + " has ended ok"
                 : "";
    }
  }
  if (!comparison.ratio.is_attributable) {
    return "not attributable: the sessions of the two ran different software, fewer than " +
           std::to_string(kSessionsAsUnit) + " a side";
  }
  if (comparison.ratio.has_few_seeds) {
    return format_count(row.n, "seed") + " of both; " + std::to_string(kLeastBlocks) +
           " are needed for an interval";
  }
  return comparison.ratio.is_of_one_seed
             ? "all trials have one seed; vary_seed: true gives each block its own"
             : format_count(row.n, "trial") + " against " + std::to_string(row.n_baseline) +
                   "; 2 on each side are needed" +
                   (comparison.ratio.is_blocked
                        ? ", of the same blocks" + why_unpaired(*comparison.base, *comparison.cell)
                        : "");
}

stats::Estimate better_ratio(const Comparison& comparison) {
  const stats::RatioInterval& interval = comparison.ratio.interval;
  return of_the_better(comparison, {.value = interval.ratio, .lo = interval.lo, .hi = interval.hi});
}

stats::Estimate better_ratio_in_family(const Comparison& comparison) {
  const stats::RatioInterval& interval = comparison.ratio.interval;
  if (comparison.family_size < 2 || !interval.lo) {
    return better_ratio(comparison);
  }
  const double alpha = comparison.alpha / static_cast<double>(comparison.family_size);
  const double level = comparison.ratio.looks.level(alpha);
  const double factor =
      std::exp(stats::student_t_critical(1.0 - level, *interval.df) * *interval.se_log);
  return of_the_better(
      comparison,
      {.value = interval.ratio, .lo = *interval.ratio / factor, .hi = *interval.ratio * factor});
}

stats::JudgedRatio exact_verdict(const Comparison& comparison) {
  const double ratio = better_ratio(comparison).value.value_or(1.0);
  stats::JudgedRatio verdict;
  verdict.beyond_margin = std::abs(std::log(ratio)) > std::log1p(comparison.row.margin);
  verdict.detectable_below_margin = !verdict.beyond_margin && ratio != 1.0;
  verdict.word = !verdict.beyond_margin ? stats::VerdictWord::kEquivalent
                 : ratio > 1.0          ? stats::VerdictWord::kFaster
                                        : stats::VerdictWord::kSlower;
  return verdict;
}

}  // namespace scalestudy

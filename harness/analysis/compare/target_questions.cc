#include "harness/analysis/compare/target_questions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/study/parameters/metrics.h"

namespace scalestudy {
namespace {

// The mean that a target on the metric is judged by: of the time behind a rate, whose amount is
// given, or of what trials have.
struct JudgedMean {
  TrialsInterval mean;
  std::optional<double> amount;
};

JudgedMean mean_of(const CellObservation& cell,
                   const std::string& metric,
                   const std::string& unit,
                   const Study& study) {
  const MetricRequest* request = find_request(study.analysis, metric);
  double TrialMetric::*const statistic =
      request == nullptr ? &TrialMetric::mean : statistic_of(*request);
  const std::vector<Rate> rates = rates_of(cell);
  const auto rate = std::ranges::find(rates, metric, &Rate::metric);
  const SessionValues times_s =
      rate == rates.end() ? SessionValues() : session_values(cell, std::string(rate->time));
  const double confidence = study.analysis.confidence;
  if (!times_s.empty()) {
    return {interval_over_trials(times_s, confidence, stats::Range::kPositive), rate->amount};
  }
  const Seeds seeds = seeds_of(study, cell.row, metric);
  return {interval_over_trials(session_values(cell, metric, statistic, seeds),
                               confidence,
                               range_of(study, metric, unit)),
          std::nullopt};
}

// p of the mean against that of the level; absent of what follows otherwise.
std::optional<double> mean_p(const CellObservation& cell,
                             const std::string& metric,
                             double wanted,
                             const std::string& unit,
                             const Study& study) {
  const auto [mean, amount] = mean_of(cell, metric, unit, study);
  const auto above =
      stats::half_widths_above(mean.plain, mean.range, amount ? *amount / wanted : wanted);
  if (!above) {
    return std::nullopt;
  }
  return std::isinf(*above) ? 0.0 : p_of(*above * *mean.interval.t_crit, 1.0, *mean.interval.df);
}

// The questions of all targets on a metric that is compared with nothing: over all cells that one
// of them names.
std::vector<Question> ask_alone(const std::string& metric,
                                const StudyObservation& observation,
                                const Study& study,
                                const RowsByCell& results) {
  const auto found = observation.units.find(metric);
  const std::string unit = found == observation.units.end() ? "" : found->second;
  std::vector<double> levels;
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const EstimateRow* row = results.estimate(cell.row.id);
    const bool is_named = std::ranges::any_of(study.analysis.targets, [&](const Target& target) {
      return target.metric == metric && !target.source && is_target_cell(cell.row, target, study);
    });
    if (is_named && has_claim(cell) && row != nullptr && row->value && row->lo && row->hi) {
      members.push_back(
          {.cell_id = cell.row.id, .value = *row->value, .p = [&, metric, unit](double level) {
             return mean_p(cell, metric, level, unit, study);
           }});
    }
  }
  for (const Target& target : study.analysis.targets) {
    if (target.metric == metric && !target.source) {
      levels.push_back(level_of(target));
    }
  }
  return ask(members, levels, 1.0 - study.analysis.confidence);
}

bool has_same_source(const Target& a, const Target& b) {
  return a.metric == b.metric && a.source && b.source && a.source->kind == b.source->kind &&
         a.source->name == b.source->name;
}

// The questions of all targets on the metric that take their values from the same source: where the
// cell's value over its reference lies.
std::vector<Question> ask_against(const Target& one,
                                  const StudyObservation& observation,
                                  const Study& study,
                                  const RowsByCell& results,
                                  const TargetReferences& references) {
  const std::string& metric = one.metric;
  const auto found = observation.units.find(metric);
  const std::string unit = found == observation.units.end() ? "" : found->second;
  const std::vector<Comparison> family = family_of(metric, observation, study);
  std::vector<double> levels;
  std::map<std::int64_t, const TargetReference*> by_cell;
  for (const Target& target : study.analysis.targets) {
    if (!has_same_source(one, target)) {
      continue;
    }
    levels.push_back(level_of(target));
    for (const CellObservation& cell : observation.cells) {
      const TargetReference* reference = reference_of(target, cell, references);
      if (reference != nullptr && reference->value && has_claim(cell)) {
        by_cell.emplace(cell.row.id, reference);
      }
    }
  }
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const auto reference = by_cell.find(cell.row.id);
    if (reference == by_cell.end()) {
      continue;
    }
    const TargetReference& with = *reference->second;
    TargetResultRow row;
    row.metric = metric;
    if (!fill_value(cell.row, results, row).empty()) {
      continue;
    }
    const auto compared = std::ranges::find(family, &cell, &Comparison::cell);
    members.push_back(
        {.cell_id = cell.row.id,
         .value = with.ratio ? with.ratio->ratio.value_or(0.0) : *row.value / *with.value,
         .p = [&, unit, compared](double level) -> std::optional<double> {
           if (with.ratio) {
             return with.ratio->ratio && with.ratio->se_log && with.ratio->df
                        ? std::optional(p_of(std::log(*with.ratio->ratio / level),
                                             *with.ratio->se_log,
                                             *with.ratio->df))
                        : std::nullopt;
           }
           const double wanted = level * *with.value;
           if (!is_relative(metric)) {
             return mean_p(cell, metric, wanted, unit, study);
           }
           return compared == family.end() || compared->no_claim || !compared->row.p_value
                      ? std::nullopt
                      : p_against(compared->ratio, ratio_level(metric, wanted));
         }});
  }
  return ask(members, levels, 1.0 - study.analysis.confidence);
}

}  // namespace

std::string fill_value(const CellRow& cell, const RowsByCell& results, TargetResultRow& row) {
  if (is_relative(row.metric)) {
    const ComparisonRow* found = results.comparison(cell.id);
    if (found == nullptr) {
      return cell.baseline_problem.value_or("there is nothing to compare it with");
    }
    row.value = found->value;
    row.lo = found->lo;
    row.hi = found->hi;
    return row.lo && row.hi ? "" : "not enough data";
  }
  const EstimateRow* found = results.estimate(cell.id);
  if (found == nullptr) {
    return "no trial measured it";
  }
  row.value = found->value;
  row.lo = found->lo;
  row.hi = found->hi;
  return row.lo && row.hi ? "" : "not enough data";
}

double level_of(const Target& target) {
  return target.at_least.value_or(target.at_most.value_or(0.0));
}

const TargetReference* reference_of(const Target& target,
                                    const CellObservation& cell,
                                    const TargetReferences& references) {
  const auto found = references.find({target.name, cell.row.id});
  return found == references.end() ? nullptr : &found->second;
}

std::vector<Question> ask_target(const Target& target,
                                 const StudyObservation& observation,
                                 const Study& study,
                                 const RowsByCell& results,
                                 const TargetReferences& references) {
  return target.source                ? ask_against(target, observation, study, results, references)
         : is_relative(target.metric) ? ask(target.metric, observation, study)
                                      : ask_alone(target.metric, observation, study, results);
}

RepeatSpread repeat_spread_of(const CellObservation& cell,
                              const std::string& metric,
                              const TargetReference& reference,
                              const StudyObservation& observation,
                              const Study& study) {
  const auto of_ratio = [](const stats::RatioInterval& ratio, bool is_paired) {
    const auto a = static_cast<double>(std::max<std::size_t>(ratio.n_a, 1));
    const auto b = static_cast<double>(std::max<std::size_t>(ratio.n_b, 1));
    return ratio.se_log.value_or(0.0) / std::sqrt(is_paired ? 1.0 / b : 1.0 / a + 1.0 / b);
  };
  if (reference.ratio) {
    return {of_ratio(*reference.ratio, false), true};
  }
  if (!is_relative(metric)) {
    const TrialsInterval trials = mean_of(cell, metric, "", study).mean;
    const stats::MeanInterval& mean = trials.interval;
    return {mean.se && mean.mean && *mean.mean > 0.0
                ? *mean.se * std::sqrt(static_cast<double>(mean.n)) / *mean.mean
                : 0.0,
            trials.method == "mean_ci_t_sessions"};
  }
  for (const Comparison& comparison : family_of(metric, observation, study)) {
    if (comparison.cell == &cell) {
      return {of_ratio(comparison.ratio.interval, true),
              comparison.ratio.method == RatioMethod::kSessions};
    }
  }
  return {};
}

}  // namespace scalestudy

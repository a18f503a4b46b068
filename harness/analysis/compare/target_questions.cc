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
  const std::optional<Rate> rate = asked_rate(cell, metric, study);
  const SessionValues times_s =
      rate ? session_values(cell, std::string(rate->time)) : SessionValues();
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

// The time of a step with which the estimate of a cost, a line over that time, would be `wanted`.
// Both have a spread.
double time_at(const EstimateRow& cost, const EstimateRow& time, double wanted) {
  const double slope = (*cost.hi - *cost.lo) / (*time.hi - *time.lo);
  return *time.value + (wanted - *cost.value) / slope;
}

// Whether the metric is what `cost` makes of the time of a step.
bool is_cost(const std::string& metric, const Study& study) {
  return study.cost && find_request(study.analysis, metric) == nullptr &&
         (metric.starts_with("cost_per_million_") || metric.starts_with("training_"));
}

// Whether the metric is a time or a rate, by its name if the study's own, or follows from one.
bool is_of_time(const std::string& metric, const Study& study) {
  return find_request(study.analysis, metric) != nullptr
             ? metric.ends_with("_s")
             : find_metric(metric) != nullptr || is_cost(metric, study);
}

// p of times without a spread. Rounded readings may agree by chance, so their own value is open.
double same_time_p(double value, double level) {
  return side_of(value, level) == 0 ? 1.0 : 0.0;
}

std::optional<double> cost_p(const CellObservation& cell,
                             const EstimateRow& cost,
                             const EstimateRow* time,
                             double wanted,
                             const Study& study) {
  if (time == nullptr || !time->value || !time->lo || !time->hi) {
    return std::nullopt;
  }
  return mean_p(cell, kStepTime, time_at(cost, *time, wanted), "s", study);
}

// Whether some question about the metric itself is about that cell.
bool is_asked_of(const CellRow& cell, const std::string& metric, const Study& study) {
  const AnalysisOptions& analysis = study.analysis;
  const bool is_of_all =
      std::ranges::find(analysis.within, metric, &Limit::metric) != analysis.within.end() ||
      std::ranges::any_of(analysis.thresholds, [&](const ThresholdRequest& request) {
        return !request.is_relative && request.metric == metric;
      });
  return (is_of_all && cell.role == CellRole::kMeasured) ||
         std::ranges::any_of(analysis.targets, [&](const Target& target) {
           return target.metric == metric && !target.source && is_target_cell(cell, target, study);
         });
}

std::vector<double> absolute_levels(const std::string& metric, const Study& study) {
  std::vector<double> levels;
  for (const Target& target : study.analysis.targets) {
    if (target.metric == metric && !target.source) {
      levels.push_back(level_of(target));
    }
  }
  for (const Limit& limit : study.analysis.within) {
    if (limit.metric == metric) {
      levels.push_back(limit.level);
    }
  }
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    if (!request.is_relative && request.metric == metric) {
      levels.push_back(request.level);
    }
  }
  return levels;
}

bool has_same_source(const Target& a, const Target& b) {
  return a.metric == b.metric && a.source && b.source && a.source->kind == b.source->kind &&
         a.source->name == b.source->name;
}

// What the targets on one metric that take their values from the same source ask.
struct SourceQuestion {
  std::vector<double> levels;
  std::map<std::int64_t, const TargetReference*> references;  // by the cells with both values
};

SourceQuestion question_like(const Target& one,
                             const StudyObservation& observation,
                             const Study& study,
                             const TargetReferences& references) {
  SourceQuestion asked;
  for (const Target& target : study.analysis.targets) {
    if (!has_same_source(one, target)) {
      continue;
    }
    asked.levels.push_back(level_of(target));
    for (const CellObservation& cell : observation.cells) {
      const TargetReference* reference = reference_of(target, cell, references);
      if (reference != nullptr && reference->value && has_claim(cell)) {
        asked.references.emplace(cell.row.id, reference);
      }
    }
  }
  return asked;
}

// p of that value of the quotient of two means; absent without a spread.
std::optional<double> quotient_p(const stats::RatioInterval& quotient, double level) {
  return quotient.ratio && quotient.se_log && quotient.df
             ? std::optional(
                   p_of(std::log(*quotient.ratio / level), *quotient.se_log, *quotient.df))
             : std::nullopt;
}

// p of that value of a metric that is a ratio to a base; absent if the cell is compared with none.
std::optional<double> relative_p(const CellObservation& cell,
                                 const std::string& metric,
                                 double wanted,
                                 const std::vector<Comparison>& family) {
  const auto compared = std::ranges::find(family, &cell, &Comparison::cell);
  return compared == family.end() || compared->no_claim || !compared->row.p_value
             ? std::nullopt
             : p_against(compared->ratio, ratio_level(metric, wanted));
}

// The questions of all targets on the metric that take their values from the same source: where the
// cell's value over its reference lies.
std::vector<Question> ask_against(const Target& one,
                                  const StudyObservation& observation,
                                  const Study& study,
                                  const Results& all,
                                  const TargetReferences& references) {
  const std::string& metric = one.metric;
  const RowsByCell results = rows_of(all, metric, study);
  const auto found = observation.units.find(metric);
  const std::string unit = found == observation.units.end() ? "" : found->second;
  const std::vector<Comparison> family = family_of(metric, observation, study);
  const SourceQuestion asked = question_like(one, observation, study, references);
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const auto reference = asked.references.find(cell.row.id);
    TargetResultRow row;
    row.metric = metric;
    if (reference == asked.references.end() || !fill_value(cell.row, results, row).empty()) {
      continue;
    }
    const TargetReference& with = *reference->second;
    const bool is_same =
        with.ratio ? with.ratio->status == stats::Status::kZeroVariance : row.lo == row.hi;
    const double value = with.ratio ? with.ratio->ratio.value_or(0.0) : *row.value / *with.value;
    members.push_back({.cell_id = cell.row.id,
                       .value = value,
                       .is_exact = is_same && !is_of_time(metric, study),
                       .p = [&, is_same, value](double level) {
                         return with.ratio ? quotient_p(*with.ratio, level)
                                : is_same  ? same_time_p(value, level)
                                : is_relative(metric)
                                    ? relative_p(cell, metric, level * *with.value, family)
                                    : mean_p(cell, metric, level * *with.value, unit, study);
                       }});
  }
  return ask(members, asked.levels, 1.0 - study.analysis.confidence);
}

}  // namespace

RowsByCell rows_of(const Results& results, const std::string& metric, const Study& study) {
  const MetricRequest* request = find_request(study.analysis, metric);
  return {results,
          metric,
          request != nullptr && request->by == TrialStatistic::kP50 ? Statistic::kP50
                                                                    : Statistic::kMean};
}

std::optional<CellMean> mean_of_cell(const CellObservation& cell,
                                     const std::string& metric,
                                     const std::string& unit,
                                     const Study& study) {
  const auto [mean, amount] = mean_of(cell, metric, unit, study);
  const stats::MeanInterval& of = mean.interval;
  if (!of.mean || !of.lo || !of.hi || (amount && !(*of.lo > 0.0))) {
    return std::nullopt;
  }
  CellMean found{.value = *of.mean, .lo = *of.lo, .hi = *of.hi, .se = of.se, .df = *of.df};
  if (amount) {
    found.value = *amount / *of.mean;
    found.lo = *amount / *of.hi;
    found.hi = *amount / *of.lo;
    found.se = of.se ? std::optional(found.value * *of.se / *of.mean) : std::nullopt;
  }
  return found;
}

std::vector<Question> ask_absolute(const std::string& metric,
                                   const StudyObservation& observation,
                                   const Study& study,
                                   const Results& results) {
  const auto found = observation.units.find(metric);
  const std::string unit = found == observation.units.end() ? "" : found->second;
  const RowsByCell rows = rows_of(results, metric, study);
  const RowsByCell times = rows_of(results, kStepTime, study);
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const EstimateRow* row = rows.estimate(cell.row.id);
    if (!is_asked_of(cell.row, metric, study) || !has_claim(cell) || row == nullptr ||
        !row->value || !row->lo || !row->hi) {
      continue;
    }
    const bool is_same = row->lo == row->hi;
    members.push_back({.cell_id = cell.row.id,
                       .value = *row->value,
                       .is_exact = is_same && !is_of_time(metric, study),
                       .p = [&, row, is_same](double level) {
                         return is_same ? same_time_p(*row->value, level)
                                : is_cost(metric, study)
                                    ? cost_p(cell, *row, times.estimate(cell.row.id), level, study)
                                    : mean_p(cell, metric, level, unit, study);
                       }});
  }
  return ask(members, absolute_levels(metric, study), 1.0 - study.analysis.confidence);
}

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
                                 const Results& results,
                                 const TargetReferences& references) {
  return target.source                ? ask_against(target, observation, study, results, references)
         : is_relative(target.metric) ? ask(target.metric, observation, study)
                                      : ask_absolute(target.metric, observation, study, results);
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

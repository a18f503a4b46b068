#include "harness/analysis/compare/target_questions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/session_spread.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/analysis/compare/targets.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

// The mean that a target on the metric is judged by: of the time behind a rate, whose amount is
// given, or of what trials have.
struct JudgedMean {
  SessionValues values;
  TrialsInterval mean;
  std::optional<double> amount;

  // What the mean is where the metric is at that level.
  double at(double level) const { return amount ? *amount / level : level; }
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
    return {
        times_s, interval_over_trials(times_s, confidence, stats::Range::kPositive), rate->amount};
  }
  const Seeds seeds = seeds_of(study, cell.row, metric);
  const SessionValues values = session_values(cell, metric, statistic, seeds);
  return {values,
          interval_over_trials(values, confidence, range_of(study, metric, unit)),
          std::nullopt};
}

// Whether the metric is what `cost` makes of the time of a step.
bool is_cost(const std::string& metric, const Study& study) {
  return study.cost && find_request(study.analysis, metric) == nullptr &&
         (metric.starts_with("cost_per_million_") || metric.starts_with("training_"));
}

// A mean, and where it is at a level of the metric.
struct TestedMean {
  JudgedMean judged;
  double level = 0.0;
};

// - value: the metric's, for which a cost has the cell's mean time of a step.
TestedMean tested_mean(const CellObservation& cell,
                       const std::string& metric,
                       double value,
                       double level,
                       const std::string& unit,
                       const Study& study) {
  if (!is_cost(metric, study)) {
    const JudgedMean judged = mean_of(cell, metric, unit, study);
    return {judged, judged.at(level)};
  }
  const JudgedMean time = mean_of(cell, kStepTime, "s", study);
  double fixed = 0.0;  // a cost is a line over the time, from here on
  for (const CostLine& line : study.cost->lines) {
    fixed += metric == "training_cost" ? line.per_training : 0.0;
  }
  return {time, time.mean.interval.mean.value_or(0.0) * ((level - fixed) / (value - fixed))};
}

// The sessions that contradict each other on where the mean lies.
std::optional<SessionsAround> disagreeing(const TestedMean& tested, const Study& study) {
  return sessions_around(tested.judged.values, tested.level, 1.0 - study.analysis.confidence);
}

// p of the mean against that level; 1 if sessions contradict each other on it. Absent of what
// follows otherwise.
std::optional<double> mean_p(const TestedMean& tested, const Study& study) {
  const TrialsInterval& mean = tested.judged.mean;
  const auto above = stats::half_widths_above(mean.plain, mean.range, tested.level);
  if (!above) {
    return std::nullopt;
  }
  return disagreeing(tested, study) ? 1.0
         : std::isinf(*above)       ? 0.0
                                    : p_of(*above * *mean.interval.t_crit, 1.0, *mean.interval.df);
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
    const auto tested = [&, own = *row.value](double level) {
      return tested_mean(cell, metric, own, level, unit, study);
    };
    const bool is_same = with.ratio ? with.ratio->status == stats::Status::kZeroVariance
                                    : row.lo == row.hi && !disagreeing(tested(*row.value), study);
    const double value = with.ratio ? with.ratio->ratio.value_or(0.0) : *row.value / *with.value;
    members.push_back({.cell_id = cell.row.id,
                       .value = value,
                       .is_exact = is_same && !is_of_time(metric, study),
                       .p = [&, tested, is_same, value](double level) {
                         return with.ratio ? quotient_p(*with.ratio, level)
                                : is_same  ? same_time_p(value, level)
                                : is_relative(metric)
                                    ? relative_p(cell, metric, level * *with.value, family)
                                    : mean_p(tested(level * *with.value), study);
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
  const JudgedMean judged = mean_of(cell, metric, unit, study);
  const stats::MeanInterval& of = judged.mean.interval;
  if (!of.mean || !of.lo || !of.hi || (judged.amount && !(*of.lo > 0.0))) {
    return std::nullopt;
  }
  CellMean found{.value = *of.mean, .lo = *of.lo, .hi = *of.hi, .se = of.se, .df = *of.df};
  if (judged.amount) {
    found.value = judged.at(*of.mean);
    found.lo = judged.at(*of.hi);
    found.hi = judged.at(*of.lo);
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
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const EstimateRow* row = rows.estimate(cell.row.id);
    if (!is_asked_of(cell.row, metric, study) || !has_claim(cell) || row == nullptr ||
        !row->value || !row->lo || !row->hi || !impossible_note(cell, metric, row, study).empty()) {
      continue;
    }
    const auto tested = [&, row](double level) {
      return tested_mean(cell, metric, *row->value, level, unit, study);
    };
    const bool is_same = row->lo == row->hi && !disagreeing(tested(*row->value), study);
    members.push_back({.cell_id = cell.row.id,
                       .value = *row->value,
                       .is_exact = is_same && !is_of_time(metric, study),
                       .p = [&, row, tested, is_same](double level) {
                         return is_same ? same_time_p(*row->value, level)
                                        : mean_p(tested(level), study);
                       }});
  }
  return ask(members, absolute_levels(metric, study), 1.0 - study.analysis.confidence);
}

std::string say_opposite_sessions(const CellObservation& cell,
                                  const TargetResultRow& row,
                                  const Study& study) {
  if (is_relative(row.metric) || !row.level || !row.value) {
    return "";
  }
  const TestedMean tested = tested_mean(cell, row.metric, *row.value, *row.level, "", study);
  const std::optional<SessionsAround> found = disagreeing(tested, study);
  if (!found) {
    return "";
  }
  const bool is_below_good = (row.bound == Bound::kAtMost) != tested.judged.amount.has_value();
  return fmt::format("session {} meets it and session {} does not, which chance does not explain{}",
                     (is_below_good ? found->below : found->above).value_or(0),
                     (is_below_good ? found->above : found->below).value_or(0),
                     found->p ? ": " + say_p_value(*found->p) : "");
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

#include "harness/analysis/thresholds/absolute_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/target_questions.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {
namespace {

void add_point(const CurvePoint& point,
               const CellMean& mean,
               const Question& question,
               TestedCurve& curve) {
  const auto decided = question.cells.find(point.cell->row.id);
  if (!has_claim(*point.cell) || decided == question.cells.end() || !mean.se) {
    ++curve.facts.left_out;
    return;
  }
  curve.facts.chosen += point.cell->chosen.trials;
  for (const TrialObservation& trial : point.cell->trials) {
    curve.trials.insert(trial.row.id);
  }
  curve.points.push_back(point);
  curve.values.push_back(
      {.x = point.x, .g = mean.value, .se = *mean.se, .df = mean.df, .level = 0.0});
  curve.facts.tested.push_back({.x = point.x,
                                .value = mean.value,
                                .lo = mean.lo,
                                .hi = mean.hi,
                                .sign = decided->second.sign,
                                .is_level = !decided->second.p && decided->second.sign == 0});
}

// Logarithms of values that are all positive, and the level of each from its decision.
void finish(const Question& question, double level, TestedCurve& curve) {
  curve.is_log = level > 0.0 &&
                 std::ranges::all_of(curve.values, [](const auto& value) { return value.g > 0.0; });
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    stats::TestedValue& value = curve.values[i];
    if (curve.is_log) {
      value.se /= value.g;
      value.g = std::log(value.g);
    }
    const double target = curve.is_log ? std::log(level) : level;
    value.g = curve.facts.tested[i].is_level ? target : value.g;
    value.level = confidence_of(curve.facts.tested[i].sign,
                                question.resolution.alpha_star,
                                p_of(value.g - target, value.se, value.df));
  }
}

// By the study's word, else by what is known of the metric.
bool is_better_low(const std::string& metric, const AnalysisOptions& analysis) {
  const MetricRequest* request = find_request(analysis, metric);
  const Metric* known = find_metric(metric);
  return request != nullptr ? !request->is_higher_better
                            : known != nullptr && !known->is_higher_better;
}

}  // namespace

std::vector<TestedCurve> absolute_curves(const StudyObservation& observation,
                                         const ThresholdRequest& request,
                                         const Study& study,
                                         const Results& results) {
  std::vector<TestedCurve> all;
  const std::vector<Question> questions = ask_absolute(request.metric, observation, study, results);
  const Question& question = at_level(questions, request.level);
  const auto row = std::ranges::find(results.estimates, request.metric, &EstimateRow::metric);
  const std::string unit = row == results.estimates.end() ? "" : row->unit;
  for (const Curve& curve : curves_along(observation, request.along)) {
    TestedCurve tested;
    tested.label = curve.label;
    tested.resolution = question.resolution;
    for (const CurvePoint& point : curve.points) {
      const std::optional<CellMean> mean = mean_of_cell(*point.cell, request.metric, unit, study);
      if (!mean) {
        continue;
      }
      tested.is_empty = false;
      tested.cells.push_back(point.cell->row.id);
      add_point(point, *mean, question, tested);
    }
    finish(question, request.level, tested);
    tested.facts.unit = parameter_unit(study.workload, request.along);
    tested.facts.is_count = is_count_axis(request.along);
    tested.facts.is_lower_better =
        tested.facts.is_count && is_better_low(request.metric, study.analysis);
    tested.facts.metric_unit = unit == "1" ? "" : unit;
    tested.facts.metric_largest = largest_estimate(results, request.metric);
    if (!tested.is_empty) {
      all.push_back(std::move(tested));
    }
  }
  return all;
}

}  // namespace scalestudy

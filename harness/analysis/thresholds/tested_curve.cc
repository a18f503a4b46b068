#include "harness/analysis/thresholds/tested_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/cells/settings.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

bool is_lower_better(const Study& study, const std::string& metric) {
  const MetricRequest* request = find_request(study.analysis, metric);
  return request != nullptr && !request->is_higher_better;
}

// What the study expects of the curve; it only orients the bracket of an unresolved one.
stats::Direction expected_direction(const ThresholdRequest& request, const Study& study) {
  const bool falls = is_lower_better(study, request.metric);
  if (request.between || !request.is_relative) {
    return stats::Direction::kAny;
  }
  if (is_count_axis(request.along)) {
    return falls                           ? stats::Direction::kAny
           : request.metric == kEfficiency ? stats::Direction::kDecreasing
                                           : stats::Direction::kIncreasing;
  }
  if (!request.along.starts_with("batch") && request.along != kComputationTime) {
    return stats::Direction::kAny;
  }
  return falls ? stats::Direction::kDecreasing : stats::Direction::kIncreasing;
}

bool has_metric(const CellObservation& cell,
                const CellObservation& base,
                const std::string& metric,
                const StudyObservation& observation,
                const Study& study) {
  return metric == kEfficiency ? has_efficiency(base, cell, observation, study) : &cell != &base;
}

TimeRatio ratio_of(const CellObservation& cell,
                   const CellObservation& base,
                   const std::string& metric,
                   const StudyObservation& observation,
                   const Study& study) {
  return time_ratio(base,
                    cell,
                    quantity_factor(metric, base.row, cell.row, observation.study.scaling),
                    study,
                    find_request(study.analysis, metric));
}

TestedCurve measure_tested(const Curve& curve,
                           const ThresholdRequest& request,
                           const Question& question,
                           const StudyObservation& observation,
                           const Study& study) {
  TestedCurve result;
  result.label = curve.label;
  result.resolution = question.resolution;
  std::set<const CellObservation*> bases;
  for (const CurvePoint& point : curve.points) {
    const CellObservation* base = observation.find_cell(point.cell->row.baseline);
    if (request.between && parameter_text(point.cell->row, request.between->name) !=
                               format_value(request.between->other)) {
      continue;
    }
    if (base != nullptr && !has_metric(*point.cell, *base, request.metric, observation, study)) {
      continue;
    }
    result.is_empty = false;
    result.cells.push_back(point.cell->row.id);
    result.tried.push_back(point.x);
    if (base == nullptr) {
      ++result.facts.left_out;
      continue;
    }
    const TimeRatio ratio = ratio_of(*point.cell, *base, request.metric, observation, study);
    const stats::RatioInterval& interval = ratio.interval;
    const auto decided = question.cells.find(point.cell->row.id);
    // Without a spread a ratio is decided all the same (is_exact() of verdict_word.h).
    const bool is_exact =
        interval.status == stats::Status::kZeroVariance && decided != question.cells.end();
    const bool is_comparable = find_request(study.analysis, request.metric) != nullptr ||
                               has_known_work(base->row, point.cell->row, study);
    if ((interval.status != stats::Status::kOk && !is_exact) || !is_comparable ||
        !has_claim(*point.cell) || !has_claim(*base)) {
      ++result.facts.left_out;
      continue;
    }
    if (doubt_of_settings(*base, *point.cell)) {
      ++result.facts.unapplied;
      continue;
    }
    if (decided == question.cells.end()) {
      ++result.facts.left_out;
      continue;
    }
    result.facts.chosen += point.cell->chosen.trials;
    result.facts.chosen += bases.insert(base).second ? base->chosen.trials : 0;
    result.bases.push_back(base);
    result.trials.insert(ratio.trials.begin(), ratio.trials.end());
    result.trials.insert(ratio.base_trials.begin(), ratio.base_trials.end());
    result.points.push_back(point);
    // Equal up to rounding, as for targets (side_of() of questions.h), is equal.
    const bool is_level = is_exact && decided->second.sign == 0;
    result.values.push_back({.x = point.x,
                             .g = std::log(is_level ? request.level : *interval.ratio),
                             .se = interval.se_log.value_or(0.0),
                             .df = interval.df.value_or(static_cast<double>(interval.n_b) - 1.0),
                             .level = decided->second.confidence});
    result.facts.tested.push_back({.x = point.x,
                                   .value = *interval.ratio,
                                   .lo = interval.lo.value_or(*interval.ratio),
                                   .hi = interval.hi.value_or(*interval.ratio),
                                   .sign = decided->second.sign,
                                   .is_level = is_level});
  }
  result.facts.unit = parameter_unit(study.workload, request.along);
  result.facts.is_count = is_count_axis(request.along);
  result.facts.is_lower_better = is_lower_better(study, request.metric);
  result.facts.is_measured = request.along == kComputationTime;
  result.facts.shares_baseline = result.values.size() > 1 && bases.size() == 1;
  return result;
}

}  // namespace

bool is_count_axis(const std::string& axis) {
  return axis == names::kDevices || axis == names::kNodes;
}

std::vector<TestedCurve> tested_curves(const StudyObservation& observation,
                                       const ThresholdRequest& request,
                                       const Study& study) {
  std::vector<TestedCurve> tested;
  const std::vector<Question> questions = ask(request.metric, observation, study);
  const Question& question = at_level(questions, request.level);
  for (const Curve& curve : request.along == kComputationTime
                                ? curves_along_computation(observation, study.analysis.confidence)
                                : curves_along(observation, request.along)) {
    TestedCurve measured = measure_tested(curve, request, question, observation, study);
    if (!measured.is_empty) {
      tested.push_back(std::move(measured));
    }
  }
  return tested;
}

stats::Threshold threshold_of(const TestedCurve& curve,
                              const ThresholdRequest& request,
                              const Study& study) {
  return stats::threshold_piecewise(curve.values,
                                    curve.is_log ? std::log(request.level) : request.level,
                                    study.analysis.confidence,
                                    expected_direction(request, study));
}

}  // namespace scalestudy

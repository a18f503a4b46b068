#include "harness/analysis/thresholds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/analysis/findings.h"
#include "harness/analysis/groups.h"
#include "harness/analysis/ratios.h"
#include "harness/analysis/row_status.h"
#include "harness/analysis/settings.h"
#include "harness/analysis/threshold_finding.h"
#include "harness/study/measured_axis.h"
#include "harness/study/parameter_rules.h"
#include "stats/threshold.h"

namespace scalestudy {
namespace {

// From this many tested values on, at most this factor from one to the next, and between two that
// have neighbours on their outer sides, the interpolated interval covers what it says; elsewhere it
// does not (stats/METHODS.md, coverage).
constexpr std::size_t kLeastInterpolated = 5;
constexpr double kWidestStep = 2.0;

// Whether the tested values carry an interpolation between two of them.
bool is_ladder(const std::vector<stats::TestedValue>& values) {
  constexpr double slack = 1.0 + 1e-9;
  const auto too_wide = [](const stats::TestedValue& left, const stats::TestedValue& right) {
    return right.x > kWidestStep * slack * left.x;
  };
  return values.size() >= kLeastInterpolated &&
         std::ranges::adjacent_find(values, too_wide) == values.end();
}

// The curve's bend beside a crossing in the first or the last step is known from one side only.
bool is_at_end(const stats::Threshold& threshold, const std::vector<stats::TestedValue>& values) {
  const bool is_crossing = threshold.status == stats::Status::kCrossed ||
                           threshold.status == stats::Status::kCrossedDown;
  return is_crossing &&
         (threshold.bracket.lo == values.front().x || threshold.bracket.hi == values.back().x);
}

bool is_count(const std::string& axis) {
  return axis == "devices" || axis == "nodes";
}

// What the study expects of the curve; it only orients the bracket of an unresolved one.
stats::Direction expected_direction(const ThresholdRequest& request) {
  if (is_count(request.along)) {
    return request.metric == kEfficiency ? stats::Direction::kDecreasing
                                         : stats::Direction::kIncreasing;
  }
  return request.along.starts_with("batch") || request.along == kComputationTime
             ? stats::Direction::kIncreasing
             : stats::Direction::kAny;
}

bool has_metric(const CellObservation& cell,
                const CellObservation& base,
                const std::string& metric) {
  return metric == kEfficiency ? cell.row.devices != base.row.devices : &cell != &base;
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

struct TestedCurve {
  std::vector<stats::TestedValue> values;
  std::vector<const CurvePoint*> points;  // of each value
  ThresholdFacts facts;
  std::set<std::int64_t> trials;
  bool is_empty = true;  // no cell of the curve has the metric at all
};

TestedCurve measure_tested(const Curve& curve,
                           const ThresholdRequest& request,
                           const StudyObservation& observation,
                           const Study& study) {
  TestedCurve result;
  std::set<const CellObservation*> bases;
  for (const CurvePoint& point : curve.points) {
    const CellObservation* base = observation.find_cell(point.cell->row.baseline);
    if (base != nullptr && !has_metric(*point.cell, *base, request.metric)) {
      continue;
    }
    result.is_empty = false;
    if (base == nullptr) {
      ++result.facts.left_out;
      continue;
    }
    const TimeRatio ratio = ratio_of(*point.cell, *base, request.metric, observation, study);
    const stats::RatioInterval& interval = ratio.interval;
    if (interval.status != stats::Status::kOk || point.cell->row.oversubscribed ||
        base->row.oversubscribed || !unapplied_setting(*base, *point.cell).empty()) {
      ++result.facts.left_out;
      continue;
    }
    bases.insert(base);
    result.trials.insert(ratio.trials.begin(), ratio.trials.end());
    result.trials.insert(ratio.base_trials.begin(), ratio.base_trials.end());
    result.points.push_back(&point);
    result.values.push_back(
        {.x = point.x, .g = std::log(*interval.ratio), .se = *interval.se_log, .df = *interval.df});
    result.facts.tested.push_back({.x = point.x,
                                   .value = *interval.ratio,
                                   .lo = *interval.lo,
                                   .hi = *interval.hi,
                                   .sign = *interval.lo > request.level   ? 1
                                           : *interval.hi < request.level ? -1
                                                                          : 0});
  }
  result.facts.unit = parameter_unit(study.workload, request.along);
  result.facts.is_count = is_count(request.along);
  result.facts.is_measured = request.along == kComputationTime;
  result.facts.shares_baseline = result.values.size() > 1 && bases.size() == 1;
  return result;
}

bool has_set(stats::Status status) {
  return status == stats::Status::kCrossed || status == stats::Status::kCrossedDown ||
         status == stats::Status::kMultiple || status == stats::Status::kUnresolved;
}

// One tested count can be above or below the level all the same.
void place_single_count(const TestedValue& tested, ThresholdRow& row) {
  row.status = tested.sign > 0   ? RowStatus::kAlways
               : tested.sign < 0 ? RowStatus::kNotReached
                                 : RowStatus::kUnresolved;
  row.bracket_lo = tested.sign < 0 ? std::optional<double>(tested.x) : std::nullopt;
  row.bracket_hi = tested.sign > 0 ? std::optional<double>(tested.x) : std::nullopt;
}

// A bracket between measured values reaches to the outer ends of their intervals.
void widen(const TestedCurve& tested, ThresholdRow& row) {
  for (const CurvePoint* point : tested.points) {
    if (row.bracket_lo == point->x) {
      row.bracket_lo = point->x_lo;
    } else if (row.bracket_hi == point->x) {
      row.bracket_hi = point->x_hi;
    }
  }
}

void place(const stats::Threshold& threshold, TestedCurve& tested, ThresholdRow& row) {
  row.status = row_status(threshold.status);
  row.bracket_lo = threshold.bracket.lo;
  row.bracket_hi = threshold.bracket.hi;
  if (tested.facts.is_measured) {
    widen(tested, row);
    return;
  }
  if (tested.facts.is_count) {
    if (tested.facts.tested.size() == 1) {
      place_single_count(tested.facts.tested.front(), row);
    }
    return;
  }
  tested.facts.is_ladder = is_ladder(tested.values);
  tested.facts.is_interpolated = tested.facts.is_ladder && !is_at_end(threshold, tested.values);
  if (!tested.facts.is_interpolated) {
    return;
  }
  row.estimate = threshold.estimate;
  if (has_set(threshold.status) && !threshold.set_curvature.empty()) {
    row.lo = threshold.set_curvature.front().lo;
    row.hi = threshold.set_curvature.back().hi;
    row.censored_lo = threshold.censored_low;
    row.censored_hi = threshold.censored_high;
    tested.facts.pieces = threshold.set_curvature;
  }
}

// A metric that the study asks for is over the base's here, like a speedup.
std::string describe(ThresholdRow row, const ThresholdFacts& facts, const Study& study) {
  if (find_request(study.analysis, row.metric) != nullptr) {
    row.metric += " over the base's";
  }
  return describe_threshold(row, facts);
}

ThresholdRow measure_threshold(const ThresholdRequest& request,
                               const std::string& group_label,
                               TestedCurve tested,
                               const Study& study) {
  const double confidence = study.analysis.confidence;
  ThresholdRow row;
  row.metric = request.metric;
  row.level = request.level;
  row.along = request.along;
  row.group_label = group_label;
  row.confidence = confidence;
  row.method = "threshold_piecewise";
  row.tested_values = static_cast<std::int64_t>(tested.values.size());
  row.trials.assign(tested.trials.begin(), tested.trials.end());
  place(stats::threshold_piecewise(
            tested.values, std::log(request.level), confidence, expected_direction(request)),
        tested,
        row);
  row.finding = describe(row, tested.facts, study);
  return row;
}

}  // namespace

std::vector<ThresholdRow> find_thresholds(const StudyObservation& observation, const Study& study) {
  std::vector<ThresholdRow> rows;
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    const std::size_t before = rows.size();
    const std::vector<Curve> curves =
        request.along == kComputationTime
            ? curves_along_computation(observation, study.analysis.confidence)
            : curves_along(observation, request.along);
    for (const Curve& curve : curves) {
      TestedCurve tested = measure_tested(curve, request, observation, study);
      if (!tested.is_empty) {
        rows.push_back(measure_threshold(request, curve.label, std::move(tested), study));
      }
    }
    if (rows.size() == before) {
      rows.push_back(measure_threshold(request, "", {}, study));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = static_cast<std::int64_t>(i) + 1;
  }
  return rows;
}

}  // namespace scalestudy

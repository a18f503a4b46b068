#include "harness/analysis/thresholds/thresholds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/thresholds/absolute_curve.h"
#include "harness/analysis/thresholds/refine.h"
#include "harness/analysis/thresholds/tested_curve.h"
#include "harness/analysis/thresholds/threshold_finding.h"
#include "harness/study/parameters/metrics.h"

namespace scalestudy {
namespace {

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

// The open brackets of a metric that is better when lower: above the level everywhere, any crossing
// lies beyond the largest tested value; below it everywhere, before the smallest.
void mirror(const TestedCurve& tested, ThresholdRow& row) {
  if (row.status == RowStatus::kAlways) {
    row.bracket_lo = tested.values.back().x;
    row.bracket_hi.reset();
  } else if (row.status == RowStatus::kNotReached) {
    row.bracket_lo.reset();
    row.bracket_hi = tested.values.front().x;
  }
}

// A bracket between measured values reaches to the outer ends of their intervals.
void widen(const TestedCurve& tested, ThresholdRow& row) {
  for (const CurvePoint& point : tested.points) {
    if (row.bracket_lo == point.x) {
      row.bracket_lo = point.x_lo;
    } else if (row.bracket_hi == point.x) {
      row.bracket_hi = point.x_hi;
    }
  }
}

bool is_crossing(stats::Status status) {
  return status == stats::Status::kCrossed || status == stats::Status::kCrossedDown;
}

// A curve whose first or last value is not certain may cross there as well.
void place_bracket(const stats::Threshold& threshold, bool is_count, ThresholdRow& row) {
  const stats::Bracket& bracket = is_count ? threshold.bracket : threshold.span;
  row.status = is_crossing(threshold.status) && !(bracket.lo && bracket.hi)
                   ? RowStatus::kUnresolved
                   : row_status(threshold.status);
  row.bracket_lo = bracket.lo;
  row.bracket_hi = bracket.hi;
}

void place(const stats::Threshold& threshold, TestedCurve& tested, ThresholdRow& row) {
  place_bracket(threshold, tested.facts.is_count, row);
  for (std::size_t i = 0; i < threshold.signs.size(); ++i) {
    tested.facts.tested[i].sign = threshold.signs[i];
  }
  if (row.status == RowStatus::kUnresolved &&
      std::ranges::all_of(tested.facts.tested, &TestedValue::is_level)) {
    row.status = RowStatus::kAllTied;
    return;
  }
  for (const TestedValue& value : tested.facts.tested) {
    if (value.sign == 0 && !value.is_level) {
      row.open_values.push_back(value.x);
    }
  }
  const bool is_one_sided =
      row.status == RowStatus::kAlways || row.status == RowStatus::kNotReached;
  if (tested.facts.metric_unit && is_one_sided && !tested.facts.is_count) {
    row.bracket_lo.reset();  // a metric itself may rise or fall
    row.bracket_hi.reset();
  } else if (tested.facts.is_lower_better && !tested.facts.is_count) {
    mirror(tested, row);
  }
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
  tested.facts.is_ladder = stats::is_ladder(tested.values);
  tested.facts.is_interpolated =
      tested.facts.is_ladder && !stats::is_at_end(threshold, tested.values);
  // A curve that lies on the level for a while crosses it at no one place.
  if (!tested.facts.is_interpolated ||
      std::ranges::any_of(tested.facts.tested, &TestedValue::is_level)) {
    return;
  }
  row.estimate = row.status == RowStatus::kUnresolved ? std::nullopt : threshold.estimate;
  if (has_set(threshold.status) && !threshold.set_curvature.empty()) {
    row.lo = threshold.set_curvature.front().lo;
    row.hi = threshold.set_curvature.back().hi;
    row.censored_lo = threshold.censored_low;
    row.censored_hi = threshold.censored_high;
    for (const stats::Piece& piece : threshold.set_curvature) {
      row.pieces.insert(row.pieces.end(), {piece.lo, piece.hi});
    }
  }
}

// A metric that the study asks for is over the base's here, like a speedup.
std::string describe(ThresholdRow row, const ThresholdFacts& facts, const Study& study) {
  if (!facts.between && !facts.metric_unit && find_request(study.analysis, row.metric) != nullptr) {
    row.metric = metric_words(row.metric) + " over the base's";
  }
  return describe_threshold(row, facts);
}

ThresholdRow measure_threshold(const ThresholdRequest& request,
                               TestedCurve tested,
                               const StudyObservation& observation,
                               const Study& study) {
  const double confidence = study.analysis.confidence;
  ThresholdRow row;
  row.metric = request.metric;
  row.level = request.level;
  row.along = request.along;
  row.group_label = tested.label;
  row.cells = tested.cells;
  row.confidence = confidence;
  row.method = "threshold_piecewise";
  row.tested_values = static_cast<std::int64_t>(tested.values.size());
  row.trials.assign(tested.trials.begin(), tested.trials.end());
  if (!tested.values.empty()) {
    row.alpha_star = tested.resolution.alpha_star;
    row.family_size = static_cast<std::int64_t>(tested.resolution.family);
    row.rejected = static_cast<std::int64_t>(tested.resolution.rejected);
  }
  const stats::Threshold threshold = threshold_of(tested, request, study);
  place(threshold, tested, row);
  if (tested.facts.tested.empty() && tested.facts.unapplied > 0) {
    row.status = RowStatus::kNotApplicable;
  }
  if (request.between) {
    tested.facts.between = two_settings(request, tested.facts.is_lower_better);
    tested.facts.setting = request.between->name;
  }
  row.finding = describe(row, tested.facts, study);
  if (request.refine) {
    row.finding += "; " + describe_refinement(refine_curve(tested, request, observation, study));
  }
  return row;
}

}  // namespace

std::vector<ThresholdRow> find_thresholds(const StudyObservation& observation,
                                          const Study& study,
                                          const Results& results) {
  std::vector<ThresholdRow> rows;
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    const std::size_t before = rows.size();
    for (TestedCurve& tested : request.is_relative
                                   ? tested_curves(observation, request, study)
                                   : absolute_curves(observation, request, study, results)) {
      rows.push_back(measure_threshold(request, std::move(tested), observation, study));
    }
    if (rows.size() == before) {
      rows.push_back(measure_threshold(request, {}, observation, study));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = static_cast<std::int64_t>(i) + 1;
  }
  return rows;
}

}  // namespace scalestudy

#include "harness/analysis/thresholds/threshold_finding.h"

#include "harness/store/cell_name.h"
#include "harness/store/crossing_text.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

static_assert(kLeastForCurve == stats::kLeastOfLadder);

std::string format_level(const ThresholdRow& row, const ThresholdFacts& facts) {
  return level_text(row, facts.metric_unit, facts.metric_largest);
}

// "speedup", "peak memory".
std::string metric_of(const ThresholdRow& row) {
  return metric_words(row.metric);
}

std::string resolved_at(const ThresholdRow& row) {
  return "resolved at " + format_percent(row.confidence);
}

std::string axis_of(const ThresholdRow& row) {
  return name_axis(row.along);
}

std::string list_with_sign(const ThresholdRow& row, const ThresholdFacts& facts, int sign) {
  std::string text;
  for (const TestedValue& tested : facts.tested) {
    if (tested.sign == sign && !tested.is_level) {
      text += (text.empty() ? "" : ", ") + tested_text(row, tested.x);
    }
  }
  return text.empty() ? "none" : text;
}

// "; peak memory over the base's is exactly 1x at 16, 32 and 64"; "" where no value is the level.
std::string describe_level(const ThresholdRow& row, const ThresholdFacts& facts) {
  std::vector<std::string> values;
  for (const TestedValue& tested : facts.tested) {
    if (tested.is_level) {
      values.push_back(tested_text(row, tested.x));
    }
  }
  return values.empty() || row.status == RowStatus::kAllTied
             ? ""
             : "; " + metric_of(row) + " is exactly " + format_level(row, facts) + " at " +
                   join_words(values);
}

// Which tested values are resolved, and how.
std::string describe_signs(const ThresholdRow& row, const ThresholdFacts& facts) {
  return "(at " + format_percent(row.confidence) + " above at: " + list_with_sign(row, facts, 1) +
         "; below at: " + list_with_sign(row, facts, -1) +
         "; not certain at: " + list_with_sign(row, facts, 0) + ")";
}

// ": between 16 and 32, and between 64 and 128", the certain values around each crossing. Nothing
// along a measured time, whose values are intervals themselves.
std::string describe_brackets(const ThresholdRow& row, const ThresholdFacts& facts) {
  std::vector<std::string> brackets;
  const TestedValue* before = nullptr;
  for (const TestedValue& tested : facts.tested) {
    if (tested.sign == 0) {
      continue;
    }
    if (before != nullptr && before->sign != tested.sign) {
      brackets.push_back("between " + tested_text(row, before->x) + " and " +
                         tested_text(row, tested.x));
    }
    before = &tested;
  }
  return brackets.empty() || facts.is_measured ? "" : ": " + join(brackets, ", and ");
}

std::string describe_interpolation(const ThresholdRow& row, const ThresholdFacts& facts) {
  if (facts.is_measured) {
    return "; these are the outer ends of the intervals of two such times, between which "
           "nothing is interpolated";
  }
  if (!facts.is_interpolated) {
    return facts.is_ladder
               ? "; nothing is interpolated at the end of what was tested, for that "
                 "takes a further value beyond it"
               : "; nothing is interpolated, for that takes " + std::to_string(kLeastForCurve) +
                     " tested values or more, each at most twice the one before";
  }
  return row.estimate && facts.shares_baseline
             ? "; approximate because all tested values share one baseline"
             : "";
}

// The smallest or largest tested value, as the open bracket has it: of a measured time an end of
// its interval.
std::string describe_end(const ThresholdRow& row, const TestedValue& tested) {
  const double end = row.bracket_hi.value_or(row.bracket_lo.value_or(tested.x));
  return axis_of(row) + " " + tested_text(row, end) +
         (end == tested.x ? "" : ", an end of the interval of " + tested_text(row, tested.x));
}

std::string describe_too_few(const ThresholdRow& row, const ThresholdFacts& facts) {
  if (facts.tested.empty()) {
    return metric_of(row) + " of " + format_level(row, facts) + " cannot be placed along " +
           axis_of(row) + ": no tested value has a usable " + metric_of(row);
  }
  const TestedValue& only = facts.tested.front();
  const std::string value =
      is_share(row.metric) || (facts.metric_unit && is_fraction(row.metric))
          ? format_share(measure_of(only), " %")
      : facts.metric_unit
          ? format_amount(measure_of(only), *facts.metric_unit, {}, facts.metric_largest)
          : format_interval(measure_of(only), {.unit = "x"});
  return metric_of(row) + " of " + format_level(row, facts) + " cannot be placed along " +
         axis_of(row) + ": the only tested value with a usable " + metric_of(row) + " is " +
         tested_text(row, only.x) + ", where it is " + value;
}

std::string describe_crossing(const ThresholdRow& row, const ThresholdFacts& facts) {
  const bool falls = row.status == RowStatus::kCrossedDown;
  return metric_of(row) + (falls ? " falls below " : " reaches ") + format_level(row, facts) + " " +
         crossing_text(row, facts.unit) + describe_interpolation(row, facts) +
         (falls == facts.is_lower_better || facts.metric_unit ? ""
          : falls ? ": it falls as " + axis_of(row) + " grows, so this is no break-even"
                  : ": it rises as " + axis_of(row) +
                        " grows and lower is better, so this is no break-even");
}

std::string describe_curve(const ThresholdRow& row, const ThresholdFacts& facts) {
  const std::string crossing = metric_of(row) + " of " + format_level(row, facts);
  const bool is_above = row.status == RowStatus::kAlways;
  const std::string side = is_above ? " above it, " : " below it, ";
  if (row.status == RowStatus::kCrossed || row.status == RowStatus::kCrossedDown) {
    return describe_crossing(row, facts);
  }
  const bool is_one_sided = is_above || row.status == RowStatus::kNotReached;
  if (is_one_sided && facts.metric_unit) {  // which may rise or fall
    return metric_of(row) + (is_above ? " is above " : " is below ") + format_level(row, facts) +
           " at " + format_all(row.tested_values, "tested value") + " of " + axis_of(row) + " (" +
           resolved_at(row) + ")";
  }
  if (is_one_sided) {
    return crossing +
           (is_above != facts.is_lower_better
                ? " is reached at or below the smallest tested value, " +
                      describe_end(row, facts.tested.front())
                : " is not reached up to " + describe_end(row, facts.tested.back())) +
           " (" + format_all(row.tested_values, "tested value") + side + resolved_at(row) + ")";
  }
  if (row.status == RowStatus::kMultiple) {
    return crossing + " is crossed more than once along " + axis_of(row) +
           (row.pieces.empty() ? describe_brackets(row, facts) + " " + describe_signs(row, facts)
                               : ": " + crossing_text(row, facts.unit));
  }
  if (row.status == RowStatus::kUnresolved) {
    return crossing + " is not resolved along " + axis_of(row) +
           (row.pieces.empty() ? " " + describe_signs(row, facts)
                               : ": it may be crossed " + crossing_text(row, facts.unit));
  }
  if (row.status == RowStatus::kInsufficientData || row.status == RowStatus::kNotApplicable) {
    return describe_too_few(row, facts);
  }
  return crossing + " cannot be placed along " + axis_of(row) +
         ": the tested values must be positive and differ";
}

std::string describe_tie(const ThresholdRow& row, const ThresholdFacts& facts) {
  return metric_of(row) + " is exactly " + format_level(row, facts) + " at " +
         format_all(row.tested_values, "tested value") + " of " + axis_of(row);
}

// Counts have nothing between them, so nothing is interpolated.
std::string describe_counts(const ThresholdRow& row, const ThresholdFacts& facts) {
  const bool wants_less = facts.is_lower_better;
  const std::string level = format_level(row, facts);
  const std::string wanted =
      metric_of(row) + (wants_less ? " of at most " : " of at least ") + level;
  const std::string missed_side = wants_less ? " is above" : " is below";
  if (row.status == RowStatus::kAlways || row.status == RowStatus::kNotReached) {
    return ((row.status == RowStatus::kNotReached) == wants_less
                ? wanted
                : metric_of(row) + missed_side + " " + level) +
           " at " + format_all(row.tested_values, "compared value") + " of " + axis_of(row) + ", " +
           join_range(format_axis_value(facts.tested.front().x),
                      format_axis_value(facts.tested.back().x)) +
           " (" + resolved_at(row) + ")";
  }
  if (row.status == RowStatus::kCrossedDown || row.status == RowStatus::kCrossed) {
    const bool is_largest = (row.status == RowStatus::kCrossedDown) != wants_less;
    const double reached = (is_largest ? row.bracket_lo : row.bracket_hi).value_or(0.0);
    const double missed = (is_largest ? row.bracket_hi : row.bracket_lo).value_or(0.0);
    return std::string(is_largest ? "largest" : "smallest") + " tested number of " + axis_of(row) +
           " with " + wanted + " (" + resolved_at(row) + "): " + format_axis_value(reached) + "; " +
           format_axis_value(missed) + missed_side;
  }
  if (facts.tested.empty()) {
    return describe_too_few(row, facts);
  }
  return wanted + " along " + axis_of(row) + " is " +
         (row.status == RowStatus::kMultiple
              ? "crossed more than once" + describe_brackets(row, facts)
              : "not resolved") +
         " " + describe_signs(row, facts);
}

std::string describe_switch(const ThresholdRow& row, const ThresholdFacts& facts) {
  const bool is_resolved = row.status == RowStatus::kCrossed ||
                           row.status == RowStatus::kCrossedDown ||
                           row.status == RowStatus::kAlways || row.status == RowStatus::kNotReached;
  const bool lacks_places = row.status == RowStatus::kMultiple && row.pieces.empty();
  return switch_text(row, *facts.between) + (is_resolved    ? " (" + resolved_at(row) + ")"
                                             : lacks_places ? describe_brackets(row, facts)
                                                            : "");
}

}  // namespace

std::string describe_threshold(const ThresholdRow& row, const ThresholdFacts& facts) {
  const std::string curve = name_curve(row.group_label, {}, facts.setting);
  std::string text = curve.empty() ? "" : curve + ": ";
  text += facts.between                       ? describe_switch(row, facts)
          : row.status == RowStatus::kAllTied ? describe_tie(row, facts)
          : facts.is_count                    ? describe_counts(row, facts)
                                              : describe_curve(row, facts);
  text += describe_level(row, facts);
  if (facts.left_out > 0) {
    text += " (" + format_count(static_cast<std::int64_t>(facts.left_out), "cell") +
            " without a usable " + metric_of(row) + " left out)";
  }
  if (facts.chosen > 0) {
    text += " (" + format_count(facts.chosen, "trial") +
            (facts.chosen == 1 ? " counts" : " count") + " only with a later attempt)";
  }
  if (facts.unapplied > 0) {
    text += " (" + format_count(static_cast<std::int64_t>(facts.unapplied), "cell") +
            " left out: not shown to have the settings that were asked for)";
  }
  return text;
}

}  // namespace scalestudy

#include "harness/store/switch_text.h"

#include <fmt/format.h>

#include "harness/store/crossing_text.h"
#include "harness/study/declared/analysis_options.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// "4 devices", "global batch 64".
std::string place_text(const ThresholdRow& row, double value, const ParameterLabels& labels) {
  return row.along == names::kDevices && !labels.contains(row.along)
             ? tested_text(row, value) + (value == 1.0 ? " device" : " devices")
             : name_axis(row.along, labels) + " " + tested_text(row, value);
}

std::string all_values(const ThresholdRow& row, const ParameterLabels& labels) {
  return format_all(row.tested_values, "tested value") + " of " + name_axis(row.along, labels);
}

std::string crossed_text(const ThresholdRow& row,
                         const TwoSettings& settings,
                         const ParameterLabels& labels) {
  const bool other_is_last = (row.status == RowStatus::kCrossed) != settings.is_lower_better;
  const std::string& first = other_is_last ? settings.base : settings.other;
  const std::string& last = other_is_last ? settings.other : settings.base;
  if (row.pieces.empty() && row.bracket_lo && row.bracket_hi) {
    const std::string open = open_values_text(row);
    return fmt::format("{} is {} up to {}, {} from {} on{}",
                       first,
                       settings.better,
                       place_text(row, *row.bracket_lo, labels),
                       last,
                       place_text(row, *row.bracket_hi, labels),
                       open.empty() ? "" : "; " + open);
  }
  return fmt::format("{} is {} up to the switch point and {} beyond it; it lies {}",
                     first,
                     settings.better,
                     last,
                     crossing_text(row, "", labels));
}

}  // namespace

TwoSettings two_settings(const ThresholdRequest& request,
                         bool is_lower_better,
                         const ParameterLabels& labels) {
  const auto name = [&](const Value& value) {
    return name_parameter({.name = request.between->name,
                           .value = format_value(value),
                           .kind = number_of(value) ? ValueKind::kReal : ValueKind::kText},
                          labels);
  };
  return {.base = name(request.between->base),
          .other = name(request.between->other),
          .better = request.metric == names::kSpeedup ? "faster"
                                                      : "better by " + metric_words(request.metric),
          .is_lower_better = is_lower_better};
}

std::string switch_text(const ThresholdRow& row,
                        const TwoSettings& settings,
                        const ParameterLabels& labels) {
  const std::string both = settings.base + " and " + settings.other;
  const std::string along = name_axis(row.along, labels);
  switch (row.status) {
    case RowStatus::kCrossed:
    case RowStatus::kCrossedDown:
      return crossed_text(row, settings, labels);
    case RowStatus::kAlways:
    case RowStatus::kNotReached: {
      const bool is_other = (row.status == RowStatus::kAlways) != settings.is_lower_better;
      return fmt::format("{} is {} than {} at {}",
                         is_other ? settings.other : settings.base,
                         settings.better,
                         is_other ? settings.base : settings.other,
                         all_values(row, labels));
    }
    case RowStatus::kAllTied:
      return fmt::format("{} are exactly equal at {}", both, all_values(row, labels));
    case RowStatus::kMultiple:
      return fmt::format(
          "which of {} is {} changes more than once{}",
          both,
          settings.better,
          row.pieces.empty() ? " along " + along : ", " + crossing_text(row, "", labels));
    case RowStatus::kUnresolved:
      return static_cast<std::int64_t>(row.open_values.size()) == row.tested_values
                 ? fmt::format(
                       "{} do not differ with certainty at {}", both, all_values(row, labels))
                 : fmt::format("{} may change places {}", both, crossing_text(row, "", labels));
    case RowStatus::kNotApplicable:
      return fmt::format(
          "{} cannot be compared along {}, because the setting was not applied", both, along);
    default:
      return fmt::format(
          "{} cannot be compared along {}: {}", both, along, in_words(to_word(row.status)));
  }
}

}  // namespace scalestudy

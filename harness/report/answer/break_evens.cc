#include "harness/report/answer/break_evens.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/switch_points.h"
#include "harness/store/cell_name.h"
#include "harness/store/crossing_text.h"
#include "harness/store/switch_text.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

constexpr std::ptrdiff_t kMostCurves = 3;  // that are named

// What is known of a crossing in a few words; `level` as the study declares it.
std::string known_text(const ReportInput& input,
                       const ThresholdRow& row,
                       const std::string& level) {
  const std::string along = name_axis(row.along, input.declared.labels);
  const std::string compared = format_all(row.tested_values, "compared value") + " of " + along;
  switch (row.status) {
    case RowStatus::kCrossed:
    case RowStatus::kCrossedDown:
      return fmt::format("{} {} {}",
                         row.status == RowStatus::kCrossed ? "reaches" : "falls below",
                         level,
                         crossing_text(row, "", input.declared.labels));
    case RowStatus::kAlways:
      return fmt::format("is above {} at {}", level, compared);
    case RowStatus::kNotReached:
      return fmt::format("stays below {} at {}", level, compared);
    case RowStatus::kAllTied:
      return fmt::format("is exactly {} at {}", level, compared);
    case RowStatus::kMultiple:
      return fmt::format("crosses {} more than once{} {}",
                         level,
                         row.pieces.empty() ? "" : ",",
                         crossing_text(row, "", input.declared.labels));
    case RowStatus::kNotApplicable:
      return fmt::format("against {} along {}: none, as the setting was not applied", level, along);
    case RowStatus::kUnresolved:
      return fmt::format("may cross {} {}", level, crossing_text(row, "", input.declared.labels));
    case RowStatus::kInvalidInput:
      return fmt::format(
          "against {} along {}: the tested values must be positive and differ", level, along);
    default:
      return fmt::format("against {} along {}: {}", level, along, in_words(to_word(row.status)));
  }
}

// A tested value in full, else three digits.
std::string end_text(const ThresholdRow& row, double value) {
  const bool is_tested = value == row.bracket_lo || value == row.bracket_hi ||
                         std::ranges::find(row.open_values, value) != row.open_values.end();
  return is_tested ? format_axis_value(value) : format_plain(value);
}

TwoSettings settings_of(const ReportInput& input, const ThresholdRequest& request) {
  const MetricRequest* metric = find_request(input.declared.analysis, request.metric);
  return two_settings(
      request, metric != nullptr && !metric->is_higher_better, input.declared.labels);
}

}  // namespace

std::string estimate_text(const ThresholdRow& row) {
  if (!row.lo || !row.hi) {
    return row.estimate ? format_number(*row.estimate) : "–";
  }
  IntervalTexts texts = interval_texts({row.estimate, row.lo, row.hi});
  if (!row.pieces.empty() && !is_calm(row)) {  // as the sentence has them
    texts = {.value = row.estimate ? format_plain(*row.estimate) : "",
             .lo = end_text(row, *row.lo),
             .hi = end_text(row, *row.hi)};
  }
  const std::string lo = row.censored_lo ? "≤ " + tested_text(row, *row.lo) : texts.lo;
  const std::string hi = row.censored_hi ? "≥ " + tested_text(row, *row.hi) : texts.hi;
  const char* joint = row.status == RowStatus::kMultiple ? "] and [" : "] or [";
  std::string ends = "[" + lo;
  for (std::size_t i = 1; i + 1 < row.pieces.size(); i += 2) {
    ends += ", " + end_text(row, row.pieces[i]) + joint + end_text(row, row.pieces[i + 1]);
  }
  return (row.estimate ? texts.value + " " : "") + ends + ", " + hi + "]";
}

std::string curve_text(const ReportInput& input, const ThresholdRow& row) {
  const ThresholdRequest* between = between_of(input, row);
  if (between == nullptr) {
    return row.group_label.empty() ? "all" : curve_label(input, row.group_label);
  }
  const TwoSettings settings = settings_of(input, *between);
  const std::string others =
      name_curve(row.group_label, input.declared.labels, between->between->name);
  return settings.other + " against " + settings.base + (others.empty() ? "" : ", " + others);
}

std::vector<BreakEven> break_evens(const ReportInput& input) {
  const std::vector<ThresholdRow>& rows = input.results.thresholds;
  struct Known {
    BreakEven said;
    std::vector<std::string> labels;  // of the curves of which it is known
    std::ptrdiff_t asked = 0;         // curves of which the same is asked
  };
  std::vector<Known> all;
  for (const ThresholdRow& row : rows) {
    const std::optional<std::string> unit = absolute_unit(input, row);
    const std::string level = level_text(row, unit, largest_estimate(input.results, row.metric));
    const bool is_over_base = !unit && find_request(input.declared.analysis, row.metric) != nullptr;
    const ThresholdRequest* between = between_of(input, row);
    const std::string text =
        between == nullptr ? metric_words(row.metric) + (is_over_base ? " over the base's " : " ") +
                                 known_text(input, row, level)
                           : switch_text(row, settings_of(input, *between), input.declared.labels);
    auto found = std::ranges::find(all, text, [](const Known& known) { return known.said.text; });
    if (found == all.end()) {
      const auto asked = std::ranges::count_if(rows, [&](const ThresholdRow& other) {
        return std::tie(other.metric, other.level, other.along) ==
                   std::tie(row.metric, row.level, row.along) &&
               between_of(input, other) == between;
      });
      found = all.insert(all.end(), {{between != nullptr, text}, {}, asked});
    }
    found->labels.push_back(
        name_curve(row.group_label,
                   input.declared.labels,
                   between == nullptr ? std::string() : between->between->name));
  }
  std::vector<BreakEven> said;
  for (const auto& [break_even, labels, asked] : all) {
    const std::string among =
        std::ssize(labels) > 1 && std::ssize(labels) == asked ? format_all(asked, "curve")
        : std::ssize(labels) > kMostCurves ? fmt::format("{} of {} curves", labels.size(), asked)
                                           : join(labels, "; ");
    said.push_back(break_even);
    said.back().text += among.empty() ? "" : " (" + among + ")";
  }
  return said;
}

}  // namespace scalestudy::report

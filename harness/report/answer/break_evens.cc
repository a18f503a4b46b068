#include "harness/report/answer/break_evens.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// A tested value of an axis; sizes stay exact.
std::string tested_text(const ThresholdRow& row, double value) {
  if (row.along == kComputationTime) {
    const Scale scale = scale_for("s", value);
    return format_plain(value * scale.factor) + " " + scale.unit;
  }
  return name_value(row.along, value);
}

// What is known of a crossing in a few words; `level` as the study declares it.
std::string crossing_text(const ReportInput& input,
                          const ThresholdRow& row,
                          const std::string& level) {
  const std::string along = name_axis(row.along, input.declared.labels);
  const auto named = [&](const std::optional<double>& value) {
    return value ? tested_text(row, *value) : "?";
  };
  const std::string compared =
      (row.tested_values == 1 ? std::string("the one compared value of ")
                              : fmt::format("all {} compared values of ", row.tested_values)) +
      along;
  const std::string estimate = row.estimate ? ", about " + estimate_text(row) : "";
  switch (row.status) {
    case RowStatus::kCrossed:
    case RowStatus::kCrossedDown:
      return fmt::format("{} {} between {} {} and {}{}",
                         row.status == RowStatus::kCrossed ? "reaches" : "falls below",
                         level,
                         along,
                         named(row.bracket_lo),
                         named(row.bracket_hi),
                         estimate);
    case RowStatus::kAlways:
      return fmt::format("is above {} at {}", level, compared);
    case RowStatus::kNotReached:
      return fmt::format("stays below {} at {}", level, compared);
    case RowStatus::kMultiple:
      return fmt::format("crosses {} more than once along {}", level, along);
    case RowStatus::kNotApplicable:
      return fmt::format("against {} along {}: none, as the setting was not applied", level, along);
    case RowStatus::kUnresolved:
      if (row.bracket_lo || row.bracket_hi) {
        return fmt::format(
            "against {} along {}: not resolved, {}", level, along, bracket_text(row));
      }
      [[fallthrough]];
    default:
      return fmt::format("against {} along {}: {}", level, along, in_words(to_word(row.status)));
  }
}

}  // namespace

std::string bracket_text(const ThresholdRow& row) {
  if (row.bracket_lo && row.bracket_hi) {
    return tested_text(row, *row.bracket_lo) + " to " + tested_text(row, *row.bracket_hi);
  }
  if (row.bracket_hi) {
    return "at or below " + tested_text(row, *row.bracket_hi);
  }
  return row.bracket_lo ? "above " + tested_text(row, *row.bracket_lo) : "–";
}

std::string estimate_text(const ThresholdRow& row) {
  if (!row.lo || !row.hi) {
    return row.estimate ? format_number(*row.estimate) : "–";
  }
  const IntervalTexts texts = interval_texts({row.estimate, row.lo, row.hi});
  const std::string lo = row.censored_lo ? "≤ " + tested_text(row, *row.lo) : texts.lo;
  const std::string hi = row.censored_hi ? "≥ " + tested_text(row, *row.hi) : texts.hi;
  return (row.estimate ? texts.value + " " : "") + "[" + lo + ", " + hi + "]";
}

std::vector<std::string> break_evens(const ReportInput& input) {
  const std::vector<ThresholdRow>& rows = input.results.thresholds;
  struct Known {
    std::string text;
    std::vector<std::string> labels;  // of the curves of which it is known
    std::ptrdiff_t asked = 0;         // curves of which the same is asked
  };
  std::vector<Known> all;
  for (const ThresholdRow& row : rows) {
    const std::string level =
        is_share(row.metric) ? format_percent(row.level) : format_declared(row.level) + "x";
    const std::string text = row.metric + " " + crossing_text(input, row, level);
    auto found = std::ranges::find(all, text, &Known::text);
    if (found == all.end()) {
      const auto asked = std::ranges::count_if(rows, [&](const ThresholdRow& other) {
        return std::tie(other.metric, other.level, other.along) ==
               std::tie(row.metric, row.level, row.along);
      });
      found = all.insert(all.end(), {text, {}, asked});
    }
    found->labels.push_back(curve_label(input, row.group_label));
  }
  std::vector<std::string> texts;
  for (const auto& [text, labels, asked] : all) {
    const std::string among =
        labels.size() > 1 ? fmt::format("{} of {} curves", labels.size(), asked) : labels[0];
    texts.push_back(text + (among.empty() ? "" : " (" + among + ")"));
  }
  return texts;
}

}  // namespace scalestudy::report

#include "harness/analysis/compare/target_finding.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using enum TargetVerdict;

std::string format_where(const Parameters& where) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : where) {
    parts.push_back(
        name_parameter({.name = name, .value = format_value(value), .kind = ValueKind::kReal}));
  }
  return parts.empty() ? "any cell" : join(parts, ", ");
}

std::string format_measured(const TargetResultRow& row, const TargetUnit& unit) {
  if (!row.value) {
    return "not measured";
  }
  const std::vector<double> levels = row.level ? std::vector{*row.level} : std::vector<double>();
  return is_fraction(row.metric) ? format_share(measure_of(row), " %", levels)
         : unit.name == "x"      ? format_interval(measure_of(row), {.unit = "x", .levels = levels})
                                 : format_amount(measure_of(row), unit.name, levels, unit.largest);
}

// A level that follows from another value, with four digits.
std::string format_level(const TargetResultRow& row, double level, const TargetUnit& unit) {
  return is_fraction(row.metric) ? format_percent(level)
         : unit.name == "x"
             ? format_number(level) + "x"
             : format_amount({.value = level, .lo = {}, .hi = {}}, unit.name, {}, unit.largest);
}

std::string bound_text(const TargetResultRow& row) {
  return row.bound == Bound::kAtLeast ? "at least " : "at most ";
}

// - reference: "95 % of published:paper" where that is the level; else "".
std::string describe_wish(const TargetResultRow& row,
                          const TargetUnit& unit,
                          const std::string& reference) {
  return bound_text(row) + (!reference.empty()        ? reference
                            : is_fraction(row.metric) ? format_percent(*row.level)
                            : unit.name == "x"
                                ? format_declared(*row.level) + "x"
                                : format_declared_amount(*row.level, unit.name, unit.largest));
}

// "at least 1188 samples/s (95 % of published:paper: 1250 samples/s, published in paper,
// table_2/throughput/3)".
std::string describe_wish(const JudgedCell& judged) {
  if (!judged.origin) {
    return describe_wish(judged.row, judged.unit, judged.reference);
  }
  return fmt::format("{}{} ({}: {}, {})",
                     bound_text(judged.row),
                     format_level(judged.row, *judged.row.level, judged.unit),
                     judged.reference,
                     format_level(judged.row, *judged.origin->value, judged.unit),
                     judged.origin->told);
}

// What the test does not hold, or holds beside the cell's own spread, and how many repeats it
// needs.
std::string describe_test(const JudgedCell& judged) {
  if (!judged.origin) {
    return "";
  }
  const std::optional<stats::RatioInterval>& ratio = judged.origin->ratio;
  const std::string text =
      ratio ? "; the quotient of both is " + format_interval({ratio->ratio, ratio->lo, ratio->hi}) +
                  ", with the spread of both studies"
            : "; the published value is taken as exact, its own error is not in the test";
  return text + (judged.power.empty() ? "" : "; " + judged.power);
}

std::string describe_doubt(const JudgedCell& judged) {
  const TargetResultRow& row = judged.row;
  if (!judged.missing.empty()) {
    return " (" + judged.missing + ")";
  }
  if (!judged.chosen.empty()) {
    return " (" + judged.chosen + ")";
  }
  if (row.verdict != kUndecided) {
    return "";
  }
  const bool has_interval = judged.origin && judged.origin->ratio
                                ? judged.origin->ratio->lo.has_value()
                                : row.lo != row.hi;
  if (!has_interval) {
    return " (the trials do not vary at all, so nothing can be tested)";
  }
  if (judged.origin && judged.origin->ratio) {
    return " (the interval of the quotient contains the share)";
  }
  const TargetVerdict alone = decide(row);
  if (alone == kUndecided) {
    return " (the interval contains the level)";
  }
  return " (" + to_word(alone) + " by its interval alone, " +
         (row.alpha_star
              ? "not after adjustment for " + format_count(*row.family_size, "comparison")
              : "but it has no test against the level, which several cells need") +
         ")";
}

}  // namespace

TargetVerdict decide(const TargetResultRow& row) {
  if (!row.lo || !row.hi || !row.level) {
    return kUndecided;
  }
  const bool wants_more = row.bound == Bound::kAtLeast;
  if (wants_more ? *row.lo >= row.level : *row.hi <= row.level) {
    return kMet;
  }
  return (wants_more ? *row.hi < row.level : *row.lo > row.level) ? kMissed : kUndecided;
}

std::string describe_target(const JudgedCell& judged) {
  const TargetResultRow& row = judged.row;
  const std::string note = judged.chosen.empty() ? in_brackets(survivors_note(*judged.cell)) : "";
  return row.name + ": " + to_word(row.verdict) + " for " + describe_cell(judged.cell->row) + ": " +
         metric_words(row.metric) + " " + format_measured(row, judged.unit) + judged.sameness +
         ", wanted " + describe_wish(judged) +
         (judged.is_lost && !note.empty() ? "" : describe_doubt(judged)) + describe_test(judged) +
         note;
}

std::string describe_no_cell(const TargetResultRow& declared,
                             const Parameters& where,
                             const TargetUnit& unit,
                             const std::string& reference) {
  const std::string words = metric_words(declared.metric);
  const bool has_vowel = std::string_view("aeio").find(words.front()) != std::string_view::npos;
  return declared.name + ": undecided: no cell with " + (has_vowel ? "an " : "a ") + words +
         " matches " + format_where(where) + ", wanted " + describe_wish(declared, unit, reference);
}

TargetResultRow judge_whole(const TargetResultRow& declared, const std::vector<JudgedCell>& cells) {
  const TargetUnit& unit = cells.front().unit;
  const auto with = [&](TargetVerdict verdict) {
    return std::ranges::count_if(
        cells, [&](const JudgedCell& judged) { return judged.row.verdict == verdict; });
  };
  const std::string all = format_count(static_cast<std::int64_t>(cells.size()), "cell");
  TargetResultRow row = declared;
  row.verdict = with(kMissed) > 0                                         ? kMissed
                : with(kMet) == static_cast<std::ptrdiff_t>(cells.size()) ? kMet
                                                                          : kUndecided;
  row.finding = row.name + ": " + to_word(row.verdict) + ": " + metric_words(row.metric) +
                ", wanted " + describe_wish(row, unit, cells.front().reference);
  if (row.verdict == kMet) {
    row.finding += ", in each of " + all;
    return row;
  }
  const auto first = std::ranges::find_if(
      cells, [&](const JudgedCell& judged) { return judged.row.verdict == row.verdict; });
  const std::string example = ", for example " + describe_cell(first->cell->row) + ": " +
                              format_measured(first->row, unit) +
                              (first->missing.empty() ? "" : " (" + first->missing + ")");
  std::string of_all = " of " + all;
  std::vector<std::string> counts;
  for (const auto& [verdict, one, several] : {std::tuple(kMissed, " misses it", " miss it"),
                                              {kMet, " meets it", " meet it"},
                                              {kUndecided, " is undecided", " are undecided"}}) {
    if (const auto count = with(verdict); count > 0) {
      counts.push_back(std::to_string(count) + of_all + (count == 1 ? one : several) +
                       (verdict == row.verdict ? example : ""));
      of_all.clear();
    }
  }
  row.finding += "; " + join(counts, "; ");
  return row;
}

}  // namespace scalestudy

// Declared expectations and whether they were met.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

// Shares with their unit, which may be a factor.
std::string target_value(const ReportInput& input, const TargetResultRow& target) {
  const std::vector<double> levels =
      target.level ? std::vector{*target.level} : std::vector<double>();
  return is_fraction(target.metric) ? format_share(measure_of(target), " %", levels)
                                    : format_amount(measure_of(target),
                                                    unit_of(input, target.metric),
                                                    levels,
                                                    largest_estimate(input.results, target.metric));
}

// The cell of a target's row, or how many the row is about.
std::string target_cell(const ReportInput& input, const TargetResultRow& target) {
  if (target.cell_id) {
    return cell_name(input, input.cell(*target.cell_id));
  }
  const auto cells = static_cast<std::int64_t>(target_cells(input, target.name));
  return cells == 0 ? "no cell matches" : format_all(cells, "cell");
}

// A level that follows from a source's value is printed as one; without a level, the share is.
std::string level_text(const ReportInput& input, const TargetResultRow& target) {
  const std::vector<Target>& declared = input.declared.analysis.targets;
  const auto found = std::ranges::find(declared, target.name, &Target::name);
  const TargetSource* source =
      found == declared.end() || !found->source ? nullptr : &*found->source;
  if (!target.level) {
    return source == nullptr
               ? ""
               : fmt::format("{} of {}:{}",
                             format_percent(found->at_least.value_or(found->at_most.value_or(1.0))),
                             to_word(source->kind),
                             source->name);
  }
  const std::string unit = unit_of(input, target.metric);
  const std::optional<double> largest = largest_estimate(input.results, target.metric);
  return is_fraction(target.metric) ? format_percent(*target.level)
         : source != nullptr
             ? format_amount({.value = target.level, .lo = {}, .hi = {}}, unit, {}, largest)
             : format_declared_amount(*target.level, unit, largest);
}

std::string requirement_text(const ReportInput& input, const TargetResultRow& target) {
  return fmt::format("{} {} {}",
                     metric_words(target.metric),
                     target.bound == Bound::kAtMost ? "≤" : "≥",
                     level_text(input, target));
}

std::vector<Column<TargetResultRow>> target_columns(const ReportInput& input) {
  using enum Align;
  using Row = TargetResultRow;
  return {
      {{"name", "Target", "name", kText}, [](const Row& row) { return row.name; }},
      {{"requirement", "Requires", "speedup ≥ 1.7", kText},
       [&input](const Row& row) { return requirement_text(input, row); }},
      {{"cell", "Cell", "the cell it is about, or how many", kText},
       [&input](const Row& row) { return target_cell(input, row); }},
      {{"value", measured_heading(input), "measured, emulated or imported [interval]"},
       [&input](const Row& row) { return target_value(input, row); }},
      {{"verdict", "Verdict", "met, missed or undecided", kText},
       [](const Row& row) { return to_word(row.verdict); }},
      {{"finding", "", "a sentence", kText, Shown::kNever},
       [](const Row& row) { return row.finding; }},
  };
}

}  // namespace

Section targets_section() {
  return {table_tags("targets", "declared expectations", heads_of(target_columns(empty_input()))),
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("targets", one_table(target_columns(input), input.results.targets));
          }};
}

}  // namespace scalestudy::report

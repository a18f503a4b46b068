// Cells against their baseline, and baselines against themselves.
#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/comparison_table.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

std::vector<Column<CellComparison>> speedup_columns(const ReportInput& input) {
  return with_cell_columns<CellComparison>(
      input,
      {
          {{"base", "Base", "the measured cell it is relative to", Align::kText, Shown::kColumns},
           [&input](const CellComparison& compared) {
             return short_name(input, input.cell(compared.row->baseline_cell_id));
           }},
          {{"base_name",
            "Base",
            "what sets that cell apart: 1 device",
            Align::kText,
            Shown::kShort},
           [&input](const CellComparison& compared) {
             const CellRow& base = input.cell(compared.row->baseline_cell_id);
             return &base == input.common_base()
                        ? describe_cell(base, input.declared.labels)  // one name in all rows
                        : describe_against(base, *compared.cell, input.declared.labels);
           }},
          {{"speedup", "Speedup (ratio)", "throughput divided by the base's [interval]"},
           [](const CellComparison& compared) {
             return format_interval(measure_of(*compared.row), {.levels = {1.0}});
           }},
          {{"efficiency",
            "Efficiency (%)",
            "speedup divided by the ratio of devices, % [interval]",
            Align::kNumber,
            Shown::kPresent},
           [&input](const CellComparison& compared) {
             return compared_share_text(input, *compared.cell, names::kEfficiency);
           }},
          {{"p_adjusted", "p (adjusted)", "p value, adjusted for the number of comparisons"},
           [](const CellComparison& compared) { return format_p_value(compared.row->p_adjusted); }},
          {{"n", "n", "trials, blocks or sessions compared"},
           [](const CellComparison& compared) { return std::to_string(compared.row->n); }},
          {{"method", "Method", "method of the interval", Align::kText},
           [](const CellComparison& compared) { return to_word(compared.row->method); }},
          {{"verdict",
            "Verdict",
            "faster, slower, equivalent, no significant difference, not enough data",
            Align::kText},
           [](const CellComparison& compared) { return noted_verdict(*compared.row); }},
      });
}

// Of a collective, whose cells have no batch: by name, and by their speed alone.
std::vector<Column<CellComparison>> message_speedup_columns(const ReportInput& input) {
  std::vector<Column<CellComparison>> columns = speedup_columns(input);
  for (Column<CellComparison>& column : columns) {
    ColumnHead& head = column.head;
    if (head.name == "cell") {
      head.heading = "Cell";
      head.shown = Shown::kAlways;
    } else if (head.name == "speedup") {
      head.heading = "Speed over that of the base (ratio)";
    } else if (head.name == "devices" || head.name == "batch" || head.name == "message" ||
               head.name == "configuration" || head.name == "efficiency") {
      head.shown = Shown::kNever;
    }
  }
  return columns;
}

using Control = const ComparisonRow*;

std::vector<Column<Control>> aa_columns(const ReportInput& input) {
  return {
      {{"cell", "Baseline", "the baseline", Align::kText},
       [&input](const Control& row) {
         return cell_name(input, input.cell(row->baseline_cell_id));
       }},
      {{"ratio", "Second name over first (ratio)", "ratio [interval]; 1 when the method is sound"},
       [](const Control& row) { return format_interval(measure_of(*row), {.levels = {1.0}}); }},
      {{"p_adjusted", "p (adjusted)", "p value, adjusted for the number of comparisons"},
       [](const Control& row) { return format_p_value(row->p_adjusted); }},
      {{"n", "n", "trials, blocks or sessions compared"},
       [](const Control& row) { return std::to_string(row->n); }},
      {{"verdict", "Verdict", "verdict", Align::kText},
       [](const Control& row) { return noted_verdict(*row); }},
  };
}

void fill_speedups(View& view, const ReportInput& input, const Figures& figures) {
  const bool is_collective = input.declared.workload == Workload::kCollective;
  const auto columns = is_collective ? message_speedup_columns(input) : speedup_columns(input);
  view.set_list("speedups", group_tables(input, figures, "speedup", [&](const Group& group) {
                  return comparison_table(
                      input, columns, compared_cells(input, group, names::kSpeedup));
                }));
  std::vector<Control> controls;
  bool has_efficiency = false;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "aa") {
      controls.push_back(&row);
    }
    has_efficiency = has_efficiency || (row.quantity == names::kEfficiency && row.value);
  }
  view.set_flag("compares_efficiency", has_efficiency && !is_collective);
  View::List tables = one_table(aa_columns(input), controls);
  add_remarks(tables, input, controls);
  view.set_list("aa_controls", std::move(tables));
}

}  // namespace

Section speedups_section() {
  return {
      comparison_table_tags("speedups",
                            "cells against their baseline",
                            heads_of(speedup_columns(empty_input())),
                            "speedup: none, one, or several") +
          table_tags(
              "aa_controls", "baselines against themselves", heads_of(aa_columns(empty_input()))) +
          remark_tags("aa_controls") +
          Tags{{"compares_efficiency", TagKind::kFlag, "some cell has an efficiency"}},
      fill_speedups};
}

}  // namespace scalestudy::report

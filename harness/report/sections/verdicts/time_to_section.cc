// How soon cells reach a declared accuracy or loss, and in how many trials.
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/times_to.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/comparison_table.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/time_to.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

// Of the base, which is compared with nothing, the row is absent.
std::vector<CellComparison> rows_of(const ReportInput& input,
                                    const Group& group,
                                    const TimeToRequest& request) {
  std::vector<CellComparison> rows;
  for (const CellRow* cell : cells_with(input, group, reached_metric(request))) {
    rows.push_back({cell, input.comparison(cell->id, time_to_metric(request))});
  }
  return rows;
}

std::vector<Column<CellComparison>> time_columns(const ReportInput& input,
                                                 const TimeToRequest& request) {
  const auto compared = [](const auto& text) {
    return [text](const CellComparison& row) {
      return row.row == nullptr ? std::string() : text(*row.row);
    };
  };
  return with_cell_columns<CellComparison>(
      input,
      {
          {{"reached", "Reached", "trials that reach it, of how many", Align::kText},
           [&input, request](const CellComparison& row) {
             return reached_text(input.estimate(row.cell->id, reached_metric(request)));
           }},
          {{"share", "Share", "of trials that reach it [interval]"},
           [&input, request](const CellComparison& row) {
             return format_share(measure_of(input.estimate(row.cell->id, reached_metric(request))),
                                 " %");
           }},
          {{"median", "Median time", "of training, until it is reached [interval]", Align::kText},
           [&input, request](const CellComparison& row) {
             return median_text(
                 input.estimate(row.cell->id, time_to_metric(request), Statistic::kMedian));
           }},
          {{"base", "Base", "the cell it is compared with", Align::kText, Shown::kPresent},
           compared([&input](const ComparisonRow& row) {
             return short_name(input, input.cell(row.baseline_cell_id));
           })},
          {{"ratio",
            "Speedup (ratio)",
            "median of the base over the cell's",
            Align::kNumber,
            Shown::kPresent},
           compared([](const ComparisonRow& row) {
             return row.value ? format_number(*row.value) + "x" : kAbsent;
           })},
          {{"p_adjusted", "p (adjusted)", "of the log-rank test", Align::kNumber, Shown::kPresent},
           compared([](const ComparisonRow& row) { return format_p_value(row.p_adjusted); })},
          {{"verdict",
            "Verdict",
            "faster, slower, no significant difference, not enough data",
            Align::kText,
            Shown::kPresent},
           compared([](const ComparisonRow& row) { return to_word(row.verdict); })},
      });
}

void fill_times(View& view, const ReportInput& input, const Figures& figures) {
  View::List tables;
  for (const TimeToRequest& request : input.declared.analysis.time_to) {
    const auto columns = time_columns(input, request);
    for (View& table : group_tables(input, figures, "", [&](const Group& group) {
           View::List made = one_table(columns, rows_of(input, group, request));
           std::vector<const ComparisonRow*> rows;
           for (const CellComparison& row : rows_of(input, group, request)) {
             if (row.row != nullptr) {
               rows.push_back(row.row);
             }
           }
           add_remarks(made, input, rows);
           return made;
         })) {
      table.set_text("title", begin_line(input, describe_goal(input.declared, request)));
      tables.push_back(std::move(table));
    }
  }
  view.set_list("time_to", std::move(tables));
}

}  // namespace

Section time_to_section() {
  return {comparison_table_tags("time_to",
                                "how soon cells reach a value of analysis.time_to",
                                heads_of(time_columns(empty_input(), {}))) +
              Tags{{"time_to.title", TagKind::kText, "Accuracy 85 %"}},
          fill_times};
}

}  // namespace scalestudy::report

// Cells against their baseline by the metrics that the study asks for.
#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/comparison_table.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

// Whether each value has a unit of its own: "49.7 MiB", "3.2 ms".
bool is_scaled(const std::string& unit) {
  return unit == "bytes" || unit == "s";
}

std::vector<Column<CellComparison>> metric_columns(const ReportInput& input,
                                                   const MetricRequest& request) {
  const Statistic statistic =
      request.by == TrialStatistic::kP50 ? Statistic::kP50 : Statistic::kMean;
  const auto value = [&input, metric = request.metric, statistic](const CellRow& cell) {
    const EstimateRow* row = input.estimate(cell.id, metric, statistic);
    return is_fraction(metric) ? format_share(measure_of(row), "")
           : row != nullptr && is_scaled(row->unit)
               ? format_amount(
                     measure_of(*row), row->unit, {}, largest_estimate(input.results, row->metric))
               : format_interval(measure_of(row));
  };
  return with_cell_columns<CellComparison>(
      input,
      {
          {{"value", "Value", "mean over trials, in the metric's unit [interval]"},
           [value](const CellComparison& compared) { return value(*compared.cell); }},
          {{"base", "Base", "the measured cell it is relative to", Align::kText},
           [&input](const CellComparison& compared) {
             return short_name(input, input.cell(compared.row->baseline_cell_id));
           }},
          {{"base_value", "Value of the base", "the same of the base"},
           [&input, value](const CellComparison& compared) {
             return value(input.cell(compared.row->baseline_cell_id));
           }},
          {{"ratio", "Over the base's (ratio)", "value over the base's [interval]"},
           [](const CellComparison& compared) {
             return format_interval(measure_of(*compared.row), {.levels = {1.0}});
           }},
          {{"p_adjusted", "p (adjusted)", "p value, adjusted for the number of comparisons"},
           [](const CellComparison& compared) { return format_p_value(compared.row->p_adjusted); }},
          {{"n", "n", "trials, blocks or sessions compared"},
           [](const CellComparison& compared) { return std::to_string(compared.row->n); }},
          {{"verdict",
            "Verdict",
            "better, worse, equivalent, no significant difference, not enough data",
            Align::kText},
           [](const CellComparison& compared) { return noted_verdict(*compared.row); }},
      });
}

// "peak memory, lower is better; differences below 0.1 % do not matter"; "energy (J), lower ..."
std::string title_of(const ReportInput& input, const MetricRequest& request) {
  std::string unit;
  for (const EstimateRow& row : input.results.estimates) {
    unit = row.metric == request.metric ? row.unit : unit;
  }
  unit = is_fraction(request.metric) ? "%" : unit;
  const bool is_in_title = !unit.empty() && unit != "1" && !is_scaled(unit);
  return metric_name(input, request.metric) + (is_in_title ? " (" + unit + ")" : "") + ", " +
         (request.is_higher_better ? "higher" : "lower") + " is better" +
         (request.by == TrialStatistic::kP50 ? "; medians of trials" : "") +
         (request.margin > 0.0
              ? "; differences below " + format_percent(request.margin) + " do not matter"
              : "");
}

void fill_metrics(View& view, const ReportInput& input, const Figures& figures) {
  View::List tables;
  for (const MetricRequest& request : input.declared.analysis.metrics) {
    const auto columns = metric_columns(input, request);
    for (View& table : group_tables(input, figures, "", [&](const Group& group) {
           return comparison_table(input, columns, compared_cells(input, group, request.metric));
         })) {
      table.set_text("title", begin_line(input, title_of(input, request)));
      tables.push_back(std::move(table));
    }
  }
  view.set_list("metrics", std::move(tables));
}

}  // namespace

Section metrics_section() {
  return {comparison_table_tags("metrics",
                                "cells against their baseline by a metric of analysis.metrics",
                                heads_of(metric_columns(empty_input(), {}))) +
              Tags{{"metrics.title", TagKind::kText, "Loss, lower is better"}},
          fill_metrics};
}

}  // namespace scalestudy::report

// What communication costs a step, what it is made of, and what overlap gains: each against
// controls.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/comparison_table.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The step of a cell in this unit.
using CellTime = std::function<std::string(std::int64_t cell_id)>;

CellTime cell_time(const ReportInput& input, const Scale& time) {
  return [&input, time](std::int64_t cell_id) {
    return format_half_width(measure_of(input.estimate(cell_id, names::kStepTime)), time.factor);
  };
}

Column<CellComparison> step_time_column(const ReportInput& input,
                                        const Scale& time,
                                        const std::string& meaning) {
  return {{"step_time", fmt::format("Step time ({})", time.unit), meaning},
          [text = cell_time(input, time)](const CellComparison& compared) {
            return text(compared.cell->id);
          }};
}

// The step of what the cell is compared with.
Column<CellComparison> base_time_column(const ReportInput& input,
                                        const Scale& time,
                                        ColumnHead head) {
  head.heading += fmt::format(" ({})", time.unit);
  return {head, [text = cell_time(input, time)](const CellComparison& compared) {
            return text(compared.row->baseline_cell_id);
          }};
}

Column<CellComparison> p_column(const std::string& heading, const std::string& meaning) {
  return {{"p_adjusted", heading, meaning},
          [](const CellComparison& compared) { return format_p_value(compared.row->p_adjusted); }};
}

Column<CellComparison> n_column() {
  return {{"n", "n", "trials, blocks or sessions compared"},
          [](const CellComparison& compared) { return std::to_string(compared.row->n); }};
}

std::vector<Column<CellComparison>> overhead_columns(const ReportInput& input, const Scale& time) {
  return with_cell_columns<CellComparison>(
      input,
      {
          step_time_column(input, time, "with communication"),
          base_time_column(input, time, {"noop_time", "Without communication", "without"}),
          {{"communication_time",
            fmt::format("T_comm ({})", time.unit),
            "step less the step without [interval]",
            Align::kNumber,
            Shown::kPresent},
           [&input, time](const CellComparison& compared) {
             const EstimateRow* row = input.estimate(compared.cell->id, "communication_overhead_s");
             return row == nullptr ? ""
                                   : format_interval(measure_of(*row),
                                                     {.factor = time.factor, .levels = {0.0}});
           }},
          {{"overhead", "Overhead (%)", "share of the step, % [interval]"},
           [](const CellComparison& compared) {
             return format_share(measure_of(*compared.row), "", {0.0});
           }},
          p_column("p (adjusted)", "p value, Holm-adjusted"),
          n_column(),
      });
}

// Of the transfer, which is between the cell and its control barrier; the synchronization is
// between that control and the one without communication.
std::vector<Column<CellComparison>> part_columns(const ReportInput& input, const Scale& time) {
  return with_cell_columns<CellComparison>(
      input,
      {
          step_time_column(input, time, "with communication"),
          base_time_column(
              input,
              time,
              {"barrier_time", "Single elements", "sending one element per rank of each bucket"}),
          {{"synchronization", "Synchronization (%)", "share of the control's step, % [interval]"},
           [&input](const CellComparison& compared) {
             const ComparisonRow* row =
                 input.comparison(compared.row->baseline_cell_id, "synchronization_overhead");
             return row == nullptr ? "" : format_share(measure_of(*row), "", {0.0});
           }},
          {{"transfer", "Transfer (%)", "share of the step, % [interval]"},
           [](const CellComparison& compared) {
             return format_share(measure_of(*compared.row), "", {0.0});
           }},
          p_column("p of transfer (adjusted)", "p value of the transfer, Holm-adjusted"),
          n_column(),
      });
}

std::vector<Column<CellComparison>> gain_columns(const ReportInput& input, const Scale& time) {
  return with_cell_columns<CellComparison>(
      input,
      {
          step_time_column(input, time, "with overlap"),
          base_time_column(
              input,
              time,
              {"control_time", "Waited for at once", "by the same calls, waited for at once"}),
          {{"gain", "Gain (ratio)", "throughput over the control's [interval]"},
           [](const CellComparison& compared) {
             return format_interval(measure_of(*compared.row), {.levels = {1.0}});
           }},
          p_column("p (adjusted)", "p value, Holm-adjusted"),
          n_column(),
          {{"verdict", "Verdict", "as of a speedup", Align::kText},
           [](const CellComparison& compared) { return noted_verdict(*compared.row); }},
      });
}

struct Table {
  const char* name;
  const char* quantity;  // of the comparison that a row is about
  const char* meaning;
  std::vector<Column<CellComparison>> (*columns)(const ReportInput&, const Scale&);
};

constexpr Table kTables[] = {
    {"overheads",
     names::kOverhead,
     "cells against the same run without communication",
     overhead_columns},
    {"overhead_parts",
     "transfer_overhead",
     "the overhead split by the control barrier",
     part_columns},
    {"overlap_gains",
     names::kOverlapGain,
     "cells of overlap poll against the control start_wait",
     gain_columns},
};

void fill_overheads(View& view, const ReportInput& input, const Figures& figures) {
  for (const Table& table : kTables) {
    view.set_list(table.name, group_tables(input, figures, "", [&](const Group& group) {
                    return comparison_table(input,
                                            table.columns(input, time_scale(input, group.cells)),
                                            compared_cells(input, group, table.quantity));
                  }));
  }
  view.set_flag(
      "has_communication_times", std::ranges::any_of(input.cells, [&](const CellRow& cell) {
        return measure_of(input.estimate(cell.id, "communication_overhead_s")).value.has_value();
      }));
}

}  // namespace

Section overheads_section() {
  Tags tags = {{"has_communication_times",
                TagKind::kFlag,
                "some cell has the difference to the control noop as a time"}};
  for (const Table& table : kTables) {
    tags = std::move(tags) +
           comparison_table_tags(
               table.name, table.meaning, heads_of(table.columns(empty_input(), {"ms", 1e3})));
  }
  return {tags, fill_overheads};
}

}  // namespace scalestudy::report

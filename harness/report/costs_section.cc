// What a million samples cost on each cell.
#include <fmt/format.h>

#include "harness/base/measure.h"
#include "harness/report/sections.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

constexpr const char* kCost = "cost_per_million_samples";

std::vector<Column<Row>> cost_columns(const ReportInput& input) {
  const std::string currency = input.declared.cost ? input.declared.cost->currency : "";
  return with_cell_columns<Row>(
      input,
      {
          {{"n", "n", "trials used / planned"},
           [&input](const Row& cell) { return trials_used(input.estimate(cell->id, kCost)); }},
          {{"cost",
            fmt::format("Cost ({} per million samples)", currency),
            "per million samples [interval]"},
           [&input](const Row& cell) {
             return format_interval(measure_of(input.estimate(cell->id, kCost)));
           }},
      });
}

}  // namespace

Section costs_section() {
  return {group_table_tags("costs", "cost of the cells", heads_of(cost_columns(empty_input()))),
          [](View& view, const ReportInput& input, const FigurePaths& figures) {
            view.set_list("costs", group_tables(input, figures, "", [&](const Group& group) {
                            return one_table(cost_columns(input), cells_with(input, group, kCost));
                          }));
          }};
}

}  // namespace scalestudy::report

// Mean time of each phase of a step.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/measure.h"
#include "harness/report/phases.h"
#include "harness/report/sections.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

// Each in the unit of its largest value: some are a thousandth of others.
Column<Row> phase_column(const ReportInput& input, const Group& group, const Phase& phase) {
  double largest = 0.0;
  for (const CellRow* cell : group.cells) {
    largest =
        std::max(largest, measure_of(input.estimate(cell->id, phase.metric)).value.value_or(0.0));
  }
  const Scale scale = scale_for("s", largest);
  return {{phase.metric,
           fmt::format("{} ({})", phase.name, scale.unit),
           "mean ± half-width",
           Align::kNumber,
           Shown::kPresent},
          [&input, phase, scale](const Row& cell) {
            return format_part(measure_of(input.estimate(cell->id, phase.metric)), scale.factor);
          }};
}

std::vector<Column<Row>> phase_columns(const ReportInput& input, const Group& group) {
  const std::vector<Phase> measured = measured_phases(input, group);
  const std::string first = measured.empty() ? "" : measured.front().metric;
  std::vector<Column<Row>> columns = {
      {{"n", "n", "trials used / planned"},
       [&input, first](const Row& cell) { return trials_used(input.estimate(cell->id, first)); }}};
  for (const Phase& phase : all_phases()) {
    columns.push_back(phase_column(input, group, phase));
  }
  return with_cell_columns<Row>(input, columns);
}

void fill(View& view, const ReportInput& input, const FigurePaths& figures) {
  view.set_list("phases", group_tables(input, figures, "breakdown", [&](const Group& group) {
                  return measured_phases(input, group).empty()
                             ? View::List()
                             : one_table(phase_columns(input, group), group.cells);
                }));
}

}  // namespace

Section phases_section() {
  return {group_table_tags("phases",
                           "cells by phase",
                           heads_of(phase_columns(empty_input(), {})),
                           "breakdown: none, one, or several"),
          fill};
}

}  // namespace scalestudy::report

// Tables of what communication costs a step, and of what overlap gains: each against controls.
#include <algorithm>
#include <string>

#include "harness/report/build_view.h"

namespace scalestudy::report {
namespace {

std::string step_time(const ReportInput& input, std::int64_t cell_id, const Scale& time) {
  const EstimateRow* row = input.estimate(cell_id, "step_time_s");
  return format_half_width(row == nullptr ? Measure{} : measure_of(*row), time.factor);
}

const CellRow* find_control(const ReportInput& input,
                            const CellRow& cell,
                            const std::string& role) {
  const auto found =
      std::find_if(input.cells.begin(), input.cells.end(), [&](const CellRow& control) {
        return control.role == role && control.control_of == cell.hash;
      });
  return found == input.cells.end() ? nullptr : &*found;
}

// What every row has: the step with communication, and of `comparison` how sure it is.
View row_of(const ReportInput& input,
            const CellRow& cell,
            const ComparisonRow& comparison,
            const Scale& time) {
  View row = cell_view(input, cell);
  row.set_text("step_time", step_time(input, cell.id, time));
  row.set_text("p_adjusted", format_p(comparison.p_adjusted));
  row.set_text("n", std::to_string(comparison.n));
  return row;
}

void add_overhead(View::List& rows,
                  const ReportInput& input,
                  const CellRow& cell,
                  const Scale& time) {
  if (const ComparisonRow* overhead = input.comparison(cell.id, "communication_overhead")) {
    View row = row_of(input, cell, *overhead, time);
    row.set_text("noop_time", step_time(input, overhead->baseline_cell_id, time));
    row.set_text("overhead", format_percent_interval(measure_of(*overhead), 0.0));
    rows.push_back(std::move(row));
  }
}

void add_parts(View::List& rows, const ReportInput& input, const CellRow& cell, const Scale& time) {
  const ComparisonRow* transfer = input.comparison(cell.id, "transfer_overhead");
  const CellRow* barrier = find_control(input, cell, "barrier");
  if (transfer == nullptr || barrier == nullptr) {
    return;
  }
  const ComparisonRow* waiting = input.comparison(barrier->id, "synchronization_overhead");
  View row = row_of(input, cell, *transfer, time);
  row.set_text("barrier_time", step_time(input, barrier->id, time));
  row.set_text("synchronization",
               waiting == nullptr ? "–" : format_percent_interval(measure_of(*waiting), 0.0));
  row.set_text("transfer", format_percent_interval(measure_of(*transfer), 0.0));
  rows.push_back(std::move(row));
}

void add_gain(View::List& rows, const ReportInput& input, const CellRow& cell, const Scale& time) {
  if (const ComparisonRow* gain = input.comparison(cell.id, "overlap_gain")) {
    View row = row_of(input, cell, *gain, time);
    row.set_text("control_time", step_time(input, gain->baseline_cell_id, time));
    row.set_text("gain", format_interval(measure_of(*gain), 1.0, 1.0));
    row.set_text("verdict", gain->verdict);
    rows.push_back(std::move(row));
  }
}

}  // namespace

void add_overheads(View& view, const ReportInput& input, const Group& group, const Scale& time) {
  View::List overheads;
  View::List parts;
  View::List gains;
  for (const CellRow* cell : group.cells) {
    add_overhead(overheads, input, *cell, time);
    add_parts(parts, input, *cell, time);
    add_gain(gains, input, *cell, time);
  }
  view.set_list("overheads", std::move(overheads));
  view.set_list("overhead_parts", std::move(parts));
  view.set_list("overlap_gains", std::move(gains));
}

}  // namespace scalestudy::report

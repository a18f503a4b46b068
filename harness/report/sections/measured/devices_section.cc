// The devices, each alone with the same cell (control device_match).
#include <algorithm>
#include <string>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/sections/comparison_table.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr const char* kQuantity = "device_match";

// Of the first of a table, device 0, there is nothing to compare: no row.
using Device = CellComparison;

std::string device_of(const CellRow& cell) {
  const CellRow::Parameter* device = find_varied(cell, kOnDevice);
  return device == nullptr ? "0" : device->value;
}

std::vector<Column<Device>> device_columns(const ReportInput& input, const Scale& time) {
  const auto of_row = [](const std::function<std::string(const ComparisonRow&)>& text) {
    return [text](const Device& device) {
      return device.row == nullptr ? std::string() : text(*device.row);
    };
  };
  return {
      {{"device", "Device", "which rank of several it is"},
       [](const Device& device) { return device_of(*device.cell); }},
      {{"step_time", "Step time (" + time.unit + ")", "of the same cell"},
       [&input, time](const Device& device) {
         return format_half_width(measure_of(input.estimate(device.cell->id, names::kStepTime)),
                                  time.factor);
       }},
      {{"speed", "Over device 0 (ratio)", "throughput over device 0's [interval]"},
       of_row([](const ComparisonRow& row) {
         return format_interval(measure_of(row), {.levels = {1.0}});
       })},
      {{"p_adjusted", "p (adjusted)", "p value, Holm-adjusted over the devices"},
       of_row([](const ComparisonRow& row) { return format_p_value(row.p_adjusted); })},
      {{"n", "n", "trials, blocks or sessions compared"},
       of_row([](const ComparisonRow& row) { return std::to_string(row.n); })},
      {{"verdict", "Verdict", "as of a speedup", Align::kText},
       of_row([](const ComparisonRow& row) { return to_word(row.verdict); })},
  };
}

void fill_devices(View& view, const ReportInput& input, const Figures& /*figures*/) {
  std::vector<Device> devices;
  std::vector<const ComparisonRow*> rows;
  double longest_s = 0.0;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity != kQuantity) {
      continue;
    }
    if (devices.empty()) {
      devices.push_back({&input.cell(row.baseline_cell_id), nullptr});
    }
    devices.push_back({&input.cell(row.cell_id), &row});
    rows.push_back(&row);
    const EstimateRow* time = input.estimate(row.cell_id, names::kStepTime);
    longest_s = std::max(longest_s, time == nullptr ? 0.0 : time->value.value_or(0.0));
  }
  View::List tables = one_table(device_columns(input, scale_for("s", longest_s)), devices);
  add_remarks(tables, input, rows);
  if (!devices.empty()) {
    tables.front().set_text("cell", cell_name(input, *devices.front().cell));
  }
  view.set_list("device_match", tables);
}

}  // namespace

Section devices_section() {
  return {table_tags("device_match",
                     "the devices, each alone with the same cell",
                     heads_of(device_columns(empty_input(), {"ms", 1e3}))) +
              Tags{{"device_match.cell", TagKind::kText, "that cell: 1 device, batch 256"}} +
              remark_tags("device_match"),
          fill_devices};
}

}  // namespace scalestudy::report

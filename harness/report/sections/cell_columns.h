// The columns by which a row of a table says which cell it is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/input.h"
#include "harness/report/template/table.h"
#include "workloads/names/names.h"

namespace scalestudy::report {

// The number of devices: "2", or "2 †" for a cell that makes no claim about performance.
std::string devices_text(const CellRow& cell);

// The efficiency or the overhead of the cell in percent, with its interval; "" without one.
std::string compared_share_text(const ReportInput& input,
                                const CellRow& cell,
                                const std::string& quantity);

// The number, or "" where it is absent.
std::string count_text(const std::optional<std::int64_t>& count);

// The heading of a column of that batch parameter: "Global batch", "Batch per device", or the
// study's label.
std::string batch_heading(const ReportInput& input, const std::string& name);

// The head of the column of devices, which is hidden where all cells have one device.
ColumnHead devices_head(const ReportInput& input);

// The varied size of the cell's message: "64 KiB"; "" where cells have none.
std::string message_size_text(const CellRow& cell);

// The head of the column of such sizes.
ColumnHead message_head();

// ---- What sections share -----------------------------------------------------------------------
// The columns by which a row says which cell it is about, followed by `more`: devices, the batch
// that the scaling holds fixed, message size and configuration are shown; cell, batch_global and
// batch_per_device are there by their tags alone.
// - Row: dereferences to its CellRow.
template <typename Row>
std::vector<Column<Row>> with_cell_columns(const ReportInput& input,
                                           const std::vector<Column<Row>>& more) {
  const bool is_weak = input.study.scaling == Scaling::kWeak;
  std::vector<Column<Row>> columns = {
      {devices_head(input), [](const Row& row) { return devices_text(*row); }},
      {{"batch",
        batch_heading(input, is_weak ? names::kBatchPerDevice : names::kBatchGlobal),
        "the batch that the scaling holds fixed",
        Align::kNumber,
        Shown::kPresent},
       [&input](const Row& row) { return count_text(fixed_batch(input, *row)); }},
      {message_head(), [](const Row& row) { return message_size_text(*row); }},
      {{"configuration", "Configuration", "other varied parameters", Align::kText, Shown::kPresent},
       [&input](const Row& row) { return configuration(input, *row); }},
      {{"cell", "", "2 devices, batch 256", Align::kText, Shown::kNever},
       [&input](const Row& row) { return short_name(input, *row); }},
      {{"batch_global", "", "samples of a step over all devices", Align::kNumber, Shown::kNever},
       [](const Row& row) { return count_text((*row).batch_global); }},
      {{"batch_per_device", "", "samples of a step on one device", Align::kNumber, Shown::kNever},
       [](const Row& row) { return count_text((*row).batch_per_device); }},
  };
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

}  // namespace scalestudy::report

// The table of what communication a step has and how much of it is hidden.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/build_view.h"

namespace scalestudy::report {
namespace {

constexpr const char* kCommunication = "communication_time_s";

Measure measure(const ReportInput& input, const CellRow& cell, const char* metric) {
  const EstimateRow* row = input.estimate(cell.id, metric);
  return row == nullptr ? Measure{} : measure_of(*row);
}

bool is_shown(const ReportInput& input, const CellRow& cell) {
  return cell.role == "measured" && cell.devices > 1 &&
         input.estimate(cell.id, kCommunication) != nullptr;
}

View row_of(const ReportInput& input, const CellRow& cell, const Scale& time) {
  constexpr double bytes_per_mib = 1048576.0;
  View row = cell_view(input, cell);
  const EstimateRow* communication = input.estimate(cell.id, kCommunication);
  const auto time_of = [&](const char* metric) {
    return format_part(measure(input, cell, metric), time.factor);
  };
  const Measure buckets = measure(input, cell, "bucket_count");
  const Measure tail = measure(input, cell, "tail_bucket_bytes");
  const Measure overlap = measure(input, cell, "overlap_efficiency");
  row.set_text("n", fmt::format("{}/{}", communication->n, communication->n_planned));
  row.set_text("buckets", buckets.value ? format_number(*buckets.value) : "–");
  row.set_text("tail_bucket", tail.value ? format_number(*tail.value / bytes_per_mib) : "–");
  row.set_text("communication", time_of(kCommunication));
  row.set_text("exposed_max", time_of("exposed_communication_max_time_s"));
  row.set_text("exposed_mean", time_of("exposed_communication_mean_time_s"));
  row.set_text("overlap_efficiency", overlap.value ? format_percent_interval(overlap, 0.0) : "n/a");
  row.set_text("transfer", time_of("collective_transfer_time_s"));
  row.set_text("skew", time_of("collective_skew_time_s"));
  return row;
}

}  // namespace

void add_communication(View& view, const ReportInput& input, const Group& group) {
  double largest = 0.0;
  for (const CellRow* cell : group.cells) {
    if (is_shown(input, *cell)) {
      largest = std::max(largest, measure(input, *cell, kCommunication).value.value_or(0.0));
    }
  }
  const Scale time = scale_for("s", largest);
  View::List rows;
  for (const CellRow* cell : group.cells) {
    if (is_shown(input, *cell)) {
      rows.push_back(row_of(input, *cell, time));
    }
  }
  view.set_text("communication_unit", time.unit);
  view.set_list("communication_rows", std::move(rows));
}

}  // namespace scalestudy::report

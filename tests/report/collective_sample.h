// A collective study with results typed by hand: 2 devices, all-reduce of 8 B, 64 KiB and 16 MiB.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "harness/report/input.h"

namespace scalestudy::test {

inline EstimateRow collective_estimate(std::int64_t cell_id,
                                       const std::string& metric,
                                       const std::string& unit,
                                       double value) {
  EstimateRow row;
  row.cell_id = cell_id;
  row.metric = metric;
  row.statistic = Statistic::kMean;
  row.variant = Variant::kAll;
  row.unit = unit;
  row.value = value;
  row.lo = 0.9 * value;
  row.hi = 1.1 * value;
  row.method = "mean_ci_t";
  row.n = 3;
  row.n_planned = 4;
  row.status = RowStatus::kOk;
  return row;
}

inline report::ReportInput collective_sample() {
  report::ReportInput input;
  input.study.name = "sweep";
  input.study.scaling = Scaling::kNone;
  input.declared.workload = Workload::kCollective;
  // Size and time: 8 B in 2 us, 64 KiB in 20 us (3.28 GB/s), 16 MiB in 8 ms (2.10 GB/s).
  for (const auto& [bytes, time_s] :
       {std::pair<std::int64_t, double>{8, 2e-6}, {65536, 20e-6}, {16777216, 8e-3}}) {
    CellRow cell;
    cell.id = static_cast<std::int64_t>(input.cells.size()) + 1;
    cell.hash = "cell-" + std::to_string(bytes);
    cell.devices = 2;
    cell.parameters = {{"devices", "2", ValueKind::kInteger, true},
                       {"message_bytes", std::to_string(bytes), ValueKind::kInteger, true},
                       {"operation", "all_reduce", ValueKind::kText, true}};
    input.cells.push_back(cell);
    const double rate = static_cast<double>(bytes) / time_s;
    for (const auto& [metric, unit, value] : {std::tuple("step_time_s", "s", time_s),
                                              std::tuple("algbw_bytes_per_s", "bytes/s", rate),
                                              std::tuple("busbw_bytes_per_s", "bytes/s", rate)}) {
      input.results.estimates.push_back(collective_estimate(cell.id, metric, unit, value));
    }
    input.results.estimates.push_back(
        collective_estimate(cell.id, "copy_bandwidth_bytes_per_s", "bytes/s", 5e9));
  }
  input.make_index();
  return input;
}

}  // namespace scalestudy::test

// A collective study with results typed by hand: 2 devices, all-reduce of 8 B, 64 KiB and 16 MiB.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "harness/report/input/input.h"

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

// Ping-pongs of 8 B and 16 MiB between four ranks: 1 us and 10 GB/s, but of 1-3 2 us and 4 GB/s;
// halves 12 GB/s.
inline report::ReportInput pairs_sample() {
  report::ReportInput input;
  input.study.name = "pairs";
  input.study.scaling = Scaling::kNone;
  input.declared.workload = Workload::kCollective;
  for (const char* pair : {"0-1", "0-2", "1-3", "halves"}) {
    for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{16777216}}) {
      CellRow cell;
      cell.id = static_cast<std::int64_t>(input.cells.size()) + 1;
      cell.hash = "cell-" + std::to_string(cell.id);
      cell.devices = 4;
      cell.parameters = {{"message_bytes", std::to_string(bytes), ValueKind::kInteger, true},
                         {"pair", pair, ValueKind::kText, true}};
      input.cells.push_back(cell);
      const bool is_slow = std::string(pair) == "1-3";
      const double rate = std::string(pair) == "halves" ? 12e9 : is_slow ? 4e9 : 10e9;
      const double time_s = bytes > 8 ? static_cast<double>(bytes) / rate : is_slow ? 2e-6 : 1e-6;
      for (const auto& [metric, unit, value] :
           {std::tuple("step_time_s", "s", time_s),
            std::tuple("busbw_bytes_per_s", "bytes/s", rate),
            std::tuple("copy_bandwidth_bytes_per_s", "bytes/s", 5e9)}) {
        input.results.estimates.push_back(collective_estimate(cell.id, metric, unit, value));
      }
    }
  }
  input.make_index();
  return input;
}

}  // namespace scalestudy::test

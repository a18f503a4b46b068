// What communication a step has and how much of it is hidden.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

Measure measure(const ReportInput& input, const CellRow& cell, const std::string& metric) {
  return measure_of(input.estimate(cell.id, metric));
}

std::vector<Row> shown_cells(const ReportInput& input, const Group& group) {
  std::vector<Row> cells = cells_with(input, group, names::kCommunication);
  std::erase_if(cells, [](const CellRow* cell) { return cell->devices < 2; });
  return cells;
}

Column<Row> time_column(const ReportInput& input,
                        const Scale& time,
                        const std::string& metric,
                        ColumnHead head) {
  head.heading += fmt::format(" ({})", time.unit);
  return {head, [&input, time, metric](const Row& cell) {
            return format_part(measure(input, *cell, metric), time.factor);
          }};
}

// A number without an interval.
Column<Row> plain_column(const ReportInput& input,
                         const std::string& metric,
                         double factor,
                         const ColumnHead& head) {
  return {head, [&input, metric, factor](const Row& cell) {
            const std::optional<double> value = measure(input, *cell, metric).value;
            return value ? format_number(*value * factor) : "";
          }};
}

std::vector<Column<Row>> communication_columns(const ReportInput& input, const Scale& time) {
  constexpr double mib_per_byte = 1.0 / 1048576.0;
  return with_cell_columns<Row>(
      input,
      {
          {{"n", "n", "trials used / planned"},
           [&input](const Row& cell) {
             return trials_used(input.estimate(cell->id, names::kCommunication));
           }},
          plain_column(input,
                       names::kBucketCount,
                       1.0,
                       {"buckets", "Buckets", "buckets the gradients travel in"}),
          plain_column(input,
                       names::kTailBucketBytes,
                       mib_per_byte,
                       {"tail_bucket",
                        "Last bucket (MiB)",
                        "MiB of the last bucket, which nothing can hide"}),
          time_column(input,
                      time,
                      names::kCommunication,
                      {"communication", "Communication", "time some collective was in flight"}),
          time_column(input,
                      time,
                      "exposed_communication_max_time_s",
                      {"exposed_max",
                       "Exposed, worst rank",
                       "time the computation waits, largest over ranks"}),
          time_column(input,
                      time,
                      "exposed_communication_mean_time_s",
                      {"exposed_mean", "Exposed, mean", "the same, mean over ranks"}),
          {{"overlap_efficiency",
            "Overlap efficiency (%)",
            "hidden share of the communication, %, or n/a"},
           [&input](const Row& cell) {
             const Measure share = measure(input, *cell, "overlap_efficiency");
             return share.value ? format_share(share, "", {0.0}) : "n/a";
           }},
          time_column(input,
                      time,
                      "collective_transfer_time_s",
                      {"transfer", "Transfer", "collectives as long as where they are shortest"}),
          time_column(
              input,
              time,
              "collective_skew_time_s",
              {"skew", "Skew, worst rank", "time in collectives beyond that, largest over ranks"}),
      });
}

View::List table_of(const ReportInput& input, const Group& group) {
  const std::vector<Row> cells = shown_cells(input, group);
  double largest = 0.0;
  for (const CellRow* cell : cells) {
    largest = std::max(largest, measure(input, *cell, names::kCommunication).value.value_or(0.0));
  }
  return one_table(communication_columns(input, scale_for("s", largest)), cells);
}

}  // namespace

Section communication_section() {
  return {group_table_tags("communication",
                           "cells of several devices, by their communication",
                           heads_of(communication_columns(empty_input(), {"ms", 1e3}))),
          [](View& view, const ReportInput& input, const Figures& figures) {
            view.set_list("communication",
                          group_tables(input, figures, "", [&](const Group& group) {
                            return table_of(input, group);
                          }));
          }};
}

}  // namespace scalestudy::report

// The cells of a group in one table: time of a step, throughput, speedup, efficiency, what of the
// step is communication, memory. Of techniques: speed and each metric that the study asks for, over
// the base's.
#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

Measure mean_of(const ReportInput& input, const CellRow& cell, const char* metric) {
  return measure_of(input.estimate(cell.id, metric));
}

// Tokens where the model has sequences, else samples.
const char* rate_of(const ReportInput& input, const Group& group) {
  return cells_with(input, group, names::kTokensPerSecond).empty() ? names::kThroughput
                                                                   : names::kTokensPerSecond;
}

Column<Row> compared_share_column(const ReportInput& input,
                                  const char* quantity,
                                  const ColumnHead& head) {
  return {head, [&input, quantity](const Row& cell) {
            return compared_share_text(input, *cell, quantity);
          }};
}

Column<Row> speedup_column(const ReportInput& input) {
  return {
      {"speedup", "Speedup (ratio)", "over the base [interval]", Align::kNumber, Shown::kPresent},
      [&input](const Row& cell) {
        const ComparisonRow* row = input.comparison(cell->id, names::kSpeedup);
        return row != nullptr                 ? format_interval(measure_of(*row), {.levels = {1.0}})
               : cell->baseline == cell->hash ? std::string("base")
                                              : std::string();
      }};
}

Column<Row> memory_column(const ReportInput& input, const Scale& memory) {
  return {{"memory",
           fmt::format("Memory ({} per device)", memory.unit),
           "largest memory of a device by the program's own count (of what the device has)",
           Align::kNumber,
           Shown::kPresent},
          [&input, memory](const Row& cell) {
            const Measure bytes = mean_of(input, *cell, names::kPeakBytes);
            const auto share = device_memory_share(input, *cell);
            return memory_text(bytes.value, memory) +
                   (share ? fmt::format(" ({} %)", format_plain(100.0 * *share)) : "");
          }};
}

std::vector<Column<Row>> overview_columns(const ReportInput& input,
                                          const Group& group,
                                          const Scale& time) {
  using enum Align;
  const char* rate = rate_of(input, group);
  const Scale memory = memory_scale(input);
  std::vector<Column<Row>> columns = {
      {{"nodes", "Nodes", "machines", kNumber, Shown::kDiffering},
       [](const Row& cell) { return std::to_string(cell->nodes); }}};
  const std::vector<Column<Row>> numbers = {
      {{"device_batch",
        "Batch per device",
        "where the global batch is fixed, the share of a device",
        kNumber,
        input.study.scaling == Scaling::kStrong ? Shown::kPresent : Shown::kNever},
       [](const Row& cell) { return count_text(cell->batch_per_device); }},
      {{"step_time", fmt::format("Step time ({})", time.unit), "mean ± half-width"},
       [&input, time](const Row& cell) {
         return format_half_width(mean_of(input, *cell, names::kStepTime), time.factor);
       }},
      {{"rate",
        rate == std::string(names::kThroughput) ? "Samples/s" : "Tokens/s",
        "samples, or tokens of a model of sequences, over the time of a step [interval]",
        kNumber,
        Shown::kPresent},
       [&input, rate](const Row& cell) { return format_interval(mean_of(input, *cell, rate)); }},
      speedup_column(input),
      compared_share_column(input,
                            names::kEfficiency,
                            {"efficiency",
                             "Efficiency (%)",
                             "speedup divided by the ratio of devices, % [interval]",
                             kNumber,
                             Shown::kPresent}),
      compared_share_column(input,
                            names::kOverhead,
                            {"communication",
                             "Communication (% of the step)",
                             "share of the step time that communication takes, % [interval]",
                             kNumber,
                             Shown::kPresent}),
      {{"utilization", "MFU (%)", "model FLOP over the device's peak", kNumber, Shown::kPresent},
       [&input](const Row& cell) {
         return format_share(mean_of(input, *cell, names::kUtilization), "");
       }},
      memory_column(input, memory),
  };
  for (const Column<Row>& column : with_cell_columns<Row>(input, numbers)) {
    columns.push_back(column);
  }
  return columns;
}

// ---- techniques

// Percentages. A share that is not known to 100 % is rounded by itself: rounded as its interval is,
// it would read 0 or 100.
std::string reduction_text(const EstimateRow* row) {
  if (row == nullptr || !row->value || row->status == RowStatus::kUnresolved) {
    return row != nullptr && row->status == RowStatus::kUnresolved ? "base may have none" : "";
  }
  const Measure share = measure_of(*row);
  const auto percent = [](double part) { return format_decimals(100.0 * part, 0); };
  return share.lo && share.hi && *share.hi - *share.lo > 1.0
             ? fmt::format(
                   "{} [{}, {}]", percent(*share.value), percent(*share.lo), percent(*share.hi))
             : format_interval(share, {.factor = 100.0, .levels = {0.0}});
}

// What a column calls a metric that the study asks for.
std::string heading_of(const ReportInput& input, const std::string& metric) {
  return metric == names::kPeakBytes      ? "Memory"
         : metric == names::kTrafficBytes ? "Traffic"
                                          : metric_name(input, metric);
}

// The ratio of a metric to the base's, and its verdict.
std::vector<Column<Pair>> metric_columns(const ReportInput& input, const std::string& metric) {
  const auto row_of = [&input, metric](const Pair& pair) {
    return input.comparison(pair.cell->id, metric);
  };
  const std::string heading = heading_of(input, metric);
  return {
      {{"metric",
        heading + " (ratio)",
        "a metric of analysis.metrics over the base's [interval]; values has those of all",
        Align::kNumber,
        Shown::kPresent},
       [row_of](const Pair& pair) {
         const ComparisonRow* row = row_of(pair);
         return row == nullptr ? "" : format_interval(measure_of(*row), {.levels = {1.0}});
       }},
      {{"metric_verdict",
        heading + ": verdict",
        "its verdict; likewise",
        Align::kText,
        Shown::kPresent},
       [row_of](const Pair& pair) {
         const ComparisonRow* row = row_of(pair);
         return row == nullptr ? "" : noted_verdict(*row);
       }},
  };
}

std::vector<Column<Pair>> technique_columns(const ReportInput& input,
                                            const std::vector<MetricRequest>& metrics) {
  using enum Align;
  std::vector<Column<Pair>> columns = {
      {{"name", "With", "what sets the cell apart from its base", kText},
       [](const Pair& pair) { return pair.name; }},
      {{"where", "Where", "what both have alike", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.where; }},
      {{"base", "Instead of", "what sets the base apart", kText},
       [](const Pair& pair) { return pair.base_name; }},
      {{"speedup", "Speedup (ratio)", "throughput divided by the base's [interval]"},
       [](const Pair& pair) {
         return format_interval(measure_of(*pair.speedup), {.levels = {1.0}});
       }},
      {{"verdict", "Speedup: verdict", "of the speedup", kText},
       [](const Pair& pair) { return noted_verdict(*pair.speedup); }},
      {{"overhead_reduction",
        "Overhead reduction (%)",
        "share of the base's exposed communication that it removes, % [interval]",
        kNumber,
        Shown::kPresent},
       [&input](const Pair& pair) {
         return reduction_text(input.estimate(pair.cell->id, "overhead_reduction"));
       }},
  };
  for (const MetricRequest& request : metrics) {
    for (const Column<Pair>& column : metric_columns(input, request.metric)) {
      columns.push_back(column);
    }
  }
  return columns;
}

void fill_overview(View& view, const ReportInput& input, const Figures& figures) {
  view.set_list("overview", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(overview_columns(input, group, time_scale(input, group.cells)),
                                   cells_with(input, group, names::kStepTime));
                }));
  view.set_list(
      "techniques",
      one_table(technique_columns(input, input.declared.analysis.metrics), techniques_of(input)));
}

}  // namespace

Section overview_section() {
  return {group_table_tags("overview",
                           "the cells of a model with their main numbers",
                           heads_of(overview_columns(empty_input(), {}, {"ms", 1e3}))) +
              table_tags("techniques",
                         "cells of as many devices and samples as their base, the fastest first, "
                         "those without a claim last",
                         heads_of(technique_columns(empty_input(), {MetricRequest{}}))),
          fill_overview};
}

}  // namespace scalestudy::report

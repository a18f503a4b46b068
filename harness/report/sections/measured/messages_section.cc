// Sizes, times and bandwidths of a collective.
#include "harness/report/answer/message_answers.h"
#include "harness/report/figures/collective_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/measured/group_notes.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

Column<Row> time_column(const ReportInput& input, Statistic statistic, const ColumnHead& head) {
  return {head, [&input, statistic](const Row& cell) {
            return operation_time_text(
                measure_of(input.estimate(cell->id, names::kStepTime, statistic)));
          }};
}

Column<Row> rate_column(const ReportInput& input,
                        const std::string& metric,
                        const ColumnHead& head) {
  return {head, [&input, metric](const Row& cell) {
            return bandwidth_text(measure_of(input.estimate(cell->id, metric)));
          }};
}

std::vector<Column<Row>> message_columns(const ReportInput& input) {
  return {
      {devices_head(input), [](const Row& cell) { return devices_text(*cell); }},
      {message_head(), [](const Row& cell) { return message_size_text(*cell); }},
      {{"configuration", "Configuration", "other varied parameters", Align::kText, Shown::kPresent},
       [&input](const Row& cell) { return configuration(input, *cell); }},
      {{"n", "n", "trials used / planned"},
       [&input](const Row& cell) {
         return trials_used(input.estimate(cell->id, names::kStepTime));
       }},
      time_column(input,
                  Statistic::kMean,
                  {"time", "Time", "mean time of one operation ± half-width, with its unit"}),
      time_column(input,
                  Statistic::kP50,
                  {"p50", "p50", "median, likewise", Align::kNumber, Shown::kPresent}),
      time_column(input,
                  Statistic::kP95,
                  {"p95", "p95", "95th percentile, likewise", Align::kNumber, Shown::kPresent}),
      rate_column(input,
                  names::kAlgorithmBandwidth,
                  {"algbw", "Algorithm bandwidth (GB/s)", "algorithm bandwidth, GB/s [interval]"}),
      rate_column(input,
                  names::kBusBandwidth,
                  {"busbw", "Bus bandwidth (GB/s)", "bus bandwidth, GB/s [interval]"}),
      {{"link",
        "Link",
        "what each rank's link is, and could carry one way",
        Align::kText,
        Shown::kPresent},
       [&input](const Row& cell) {
         const VolumeRow* link = link_of(input, *cell);
         return link == nullptr ? "" : link->formula;
       }},
      {{"link_share",
        "Share of the link (%)",
        "bus bandwidth over what the link could carry [interval]",
        Align::kNumber,
        Shown::kPresent},
       [&input](const Row& cell) { return link_share_text(input, *cell); }},
      rate_column(
          input,
          "copy_bandwidth_bytes_per_s",
          {"copy_bandwidth", "Copy (GB/s)", "memory copied by the same ranks, GB/s [interval]"}),
      rate_column(input,
                  "triad_bytes_per_s",
                  {"triad",
                   "Triad (GB/s)",
                   "STREAM's triad by the same ranks alone, GB/s [interval]",
                   Align::kNumber,
                   Shown::kPresent}),
      rate_column(input,
                  "triad_beside_bytes_per_s",
                  {"triad_beside",
                   "Triad beside (GB/s)",
                   "by a thread of each while operations run, GB/s [interval]",
                   Align::kNumber,
                   Shown::kPresent}),
  };
}

View::List message_table(const ReportInput& input, const Group& group) {
  View::List tables =
      one_table(message_columns(input), cells_with(input, group, names::kBusBandwidth));
  for (View& table : tables) {
    add_notes(table, input, group);
    table.set_text("fitted", fitted_lines_text(input, group));
  }
  return tables;
}

}  // namespace

Section messages_section() {
  using enum TagKind;
  const Tags notes = {{"messages.notes", kList, "why numbers are absent"},
                      {"messages.notes.note", kText, "a sentence"},
                      {"messages.fitted", kText, "the lines that figures show dashed"}};
  return {group_table_tags("messages",
                           "cells of a collective operation",
                           heads_of(message_columns(empty_input())),
                           "bandwidth, then time against size") +
              notes,
          [](View& view, const ReportInput& input, const Figures& figures) {
            view.set_list("messages",
                          group_tables(input, figures, "message", [&](const Group& group) {
                            return message_table(input, group);
                          }));
          }};
}

}  // namespace scalestudy::report

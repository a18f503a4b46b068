// Sizes, times and bandwidths of a collective.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/answer/answer.h"
#include "harness/report/figures/collective_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/sections.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

constexpr const char* kBusBandwidth = "busbw_bytes_per_s";

using Row = const CellRow*;

// With its own unit: the times of one table span five orders of magnitude.
std::string time_text(const Measure& time) {
  const Scale scale = scale_for("s", time.value.value_or(0.0));
  return format_half_width(time, scale.factor) + (time.value ? " " + scale.unit : "");
}

std::string rate_text(const Measure& rate) {
  return format_interval(rate, {.factor = scale_for("bytes/s", 0.0).factor});
}

Column<Row> time_column(const ReportInput& input, Statistic statistic, const ColumnHead& head) {
  return {head, [&input, statistic](const Row& cell) {
            return time_text(measure_of(input.estimate(cell->id, "step_time_s", statistic)));
          }};
}

Column<Row> rate_column(const ReportInput& input,
                        const std::string& metric,
                        const ColumnHead& head) {
  return {head, [&input, metric](const Row& cell) {
            return rate_text(measure_of(input.estimate(cell->id, metric)));
          }};
}

std::vector<Column<Row>> message_columns(const ReportInput& input) {
  return {
      {devices_head(input), [](const Row& cell) { return devices_text(*cell); }},
      {{"message", "Message", "size of the message: 64 KiB"},
       [](const Row& cell) {
         const std::optional<std::int64_t> bytes = message_bytes(*cell);
         return bytes ? format_bytes(*bytes) : "";
       }},
      {{"configuration", "Configuration", "other varied parameters", Align::kText, Shown::kPresent},
       [&input](const Row& cell) { return configuration(input, *cell); }},
      {{"n", "n", "trials used / planned"},
       [&input](const Row& cell) { return trials_used(input.estimate(cell->id, "step_time_s")); }},
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
                  "algbw_bytes_per_s",
                  {"algbw", "Algorithm bandwidth (GB/s)", "algorithm bandwidth, GB/s [interval]"}),
      rate_column(input,
                  kBusBandwidth,
                  {"busbw", "Bus bandwidth (GB/s)", "bus bandwidth, GB/s [interval]"}),
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

// "all_reduce, 2 devices, env.X=Y": the cells that differ in the size of their message only.
std::string curve_name(const ReportInput& input, const Group& group, const CellRow& cell) {
  const std::string rest = configuration(input, cell);
  return (group.label.empty() ? "" : group.label + ", ") + format_count(cell.devices, "device") +
         (rest.empty() ? "" : ", " + rest);
}

// Cells of one curve, by size.
std::string describe_curve(const ReportInput& input,
                           const std::string& name,
                           const std::vector<const CellRow*>& cells) {
  const auto rate = [&](const CellRow* cell) {
    return input.estimate(cell->id, kBusBandwidth)->value.value_or(0.0);
  };
  const CellRow& best =
      **std::max_element(cells.begin(), cells.end(), [&](const CellRow* a, const CellRow* b) {
        return rate(a) < rate(b);
      });
  const CellRow& least = *cells.front();
  const std::set<std::int64_t> not_as_asked = unapplied_cells(input);
  const bool is_as_asked = std::ranges::none_of(
      cells, [&](const CellRow* cell) { return not_as_asked.contains(cell->id); });
  return fmt::format("{}{}: highest bus bandwidth of {} sizes {} GB/s, at {}; {} take {}",
                     name,
                     is_as_asked ? "" : " (not shown to have its setting)",
                     cells.size(),
                     rate_text(measure_of(input.estimate(best.id, kBusBandwidth))),
                     format_bytes(*message_bytes(best)),
                     format_bytes(*message_bytes(least)),
                     time_text(measure_of(input.estimate(least.id, "step_time_s"))));
}

View::List table_of(const ReportInput& input, const Group& group) {
  View::List tables = one_table(message_columns(input), cells_with(input, group, kBusBandwidth));
  for (View& table : tables) {
    add_notes(table, input, group);
    table.set_text("fitted", fitted_lines_text(input, group));
  }
  return tables;
}

}  // namespace

std::vector<std::string> message_findings(const ReportInput& input) {
  std::vector<std::string> findings;
  for (const Group& group : group_cells(input)) {
    std::vector<std::pair<std::string, std::vector<const CellRow*>>> curves;
    for (const CellRow* cell : group.cells) {
      const EstimateRow* rate = input.estimate(cell->id, kBusBandwidth);
      if (!input.has_claim(*cell) || rate == nullptr || !rate->value || !message_bytes(*cell)) {
        continue;
      }
      const std::string name = curve_name(input, group, *cell);
      if (curves.empty() || curves.back().first != name) {
        curves.emplace_back(name, std::vector<const CellRow*>());
      }
      curves.back().second.push_back(cell);
    }
    for (const auto& [name, cells] : curves) {
      findings.push_back(describe_curve(input, name, cells));
    }
  }
  return findings;
}

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
          [](View& view, const ReportInput& input, const FigurePaths& figures) {
            view.set_list("messages",
                          group_tables(input, figures, "message", [&](const Group& group) {
                            return table_of(input, group);
                          }));
          }};
}

}  // namespace scalestudy::report

#include "harness/report/recovery_section.h"

#include "harness/base/measure.h"

namespace scalestudy::report {
namespace {

constexpr const char* kSave = "checkpoint_save_time_s";
constexpr const char* kDowntime = "downtime_s";
constexpr double kMilli = 1e3;
constexpr double kMega = 1e-6;

using Row = const CellRow*;

// Of the estimate of that metric, each in one unit.
Column<Row> value_column(const ReportInput& input,
                         const std::string& metric,
                         const ColumnHead& head,
                         double factor = 1.0) {
  return {head, [&input, metric, factor](const Row& cell) {
            const EstimateRow* found = input.estimate(cell->id, metric);
            return found == nullptr ? "" : format_interval(measure_of(*found), {.factor = factor});
          }};
}

Column<Row> share_column(const ReportInput& input,
                         const std::string& metric,
                         const ColumnHead& head) {
  return {head, [&input, metric](const Row& cell) {
            const EstimateRow* found = input.estimate(cell->id, metric);
            return found == nullptr ? "" : format_share(measure_of(*found), "");
          }};
}

Column<Row> trials_column(const ReportInput& input, const std::string& metric) {
  return {{"n", "n", "trials used / planned"}, [&input, metric](const Row& cell) {
            return trials_used(input.estimate(cell->id, metric));
          }};
}

std::vector<Column<Row>> checkpoint_columns(const ReportInput& input) {
  using enum Align;
  using enum Shown;
  return with_cell_columns<Row>(
      input,
      {trials_column(input, kSave),
       value_column(input,
                    "checkpoint_bytes",
                    {"size", "Size (MB)", "of all ranks' files, 10^6 bytes [interval]"},
                    kMega),
       value_column(input, kSave, {"save", "Save (ms)", "mean time of a save [interval]"}, kMilli),
       value_column(input,
                    "checkpoint_save_bytes_per_s",
                    {"save_rate", "Save (MB/s)", "size over that [interval]"},
                    kMega),
       value_column(input,
                    "checkpoint_load_time_s",
                    {"load", "Load (ms)", "mean time of a load [interval]", kNumber, kPresent},
                    kMilli),
       value_column(input,
                    "checkpoint_load_bytes_per_s",
                    {"load_rate", "Load (MB/s)", "size over that [interval]", kNumber, kPresent},
                    kMega),
       share_column(input,
                    "checkpoint_cached_share",
                    {"cached",
                     "In the page cache (%)",
                     "of its pages, before the load [interval]",
                     kNumber,
                     kPresent})});
}

std::vector<Column<Row>> recovery_columns(const ReportInput& input) {
  return with_cell_columns<Row>(
      input,
      {trials_column(input, kDowntime),
       value_column(input,
                    "failure_detection_time_s",
                    {"detection", "Detection (s)", "until the launcher knew [interval]"}),
       value_column(input,
                    "recovery_time_s",
                    {"recovery", "Recovery (s)", "from there to the next step done [interval]"}),
       value_column(input, kDowntime, {"downtime", "Both (s)", "together [interval]"}),
       value_column(input, "lost_steps", {"lost", "Lost steps", "that were repeated [interval]"})});
}

void fill(View& view, const ReportInput& input, const FigurePaths& figures) {
  const auto tables = [&](const std::vector<Column<Row>>& columns, const char* metric) {
    return group_tables(input, figures, "", [&](const Group& group) {
      return one_table(columns, cells_with(input, group, metric));
    });
  };
  view.set_list("checkpoints", tables(checkpoint_columns(input), kSave));
  view.set_list("recoveries", tables(recovery_columns(input), kDowntime));
}

}  // namespace

Section recovery_section() {
  return {group_table_tags("checkpoints",
                           "what saves and loads of state took",
                           heads_of(checkpoint_columns(empty_input()))) +
              group_table_tags(
                  "recoveries", "what failures took", heads_of(recovery_columns(empty_input()))),
          fill};
}

}  // namespace scalestudy::report

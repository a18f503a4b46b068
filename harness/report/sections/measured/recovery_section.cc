// What checkpoints and failures took, cell by cell; and apart from that, how often to save by a
// declared rate of failures.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr const char* kDaly = "daly_interval_s";
constexpr const char* kOverhead = "expected_overhead";
constexpr const char* kScenarioMark = "△";  // as of other scenarios
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

// Of the estimate of that time, in the unit that suits its largest.
Column<Row> time_column(const ReportInput& input, const std::string& metric, ColumnHead head) {
  const Scale scale = scale_for("s", largest_estimate(input.results, metric).value_or(0.0));
  head.heading += fmt::format(" ({})", scale.unit);
  return value_column(input, metric, head, scale.factor);
}

Column<Row> recovery_share_column(const ReportInput& input,
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
      {trials_column(input, names::kSaveTime),
       value_column(input,
                    "checkpoint_bytes",
                    {"size", "Size (MB)", "of all ranks' files, 10^6 bytes [interval]"},
                    kMega),
       time_column(input, names::kSaveTime, {"save", "Save", "mean time of a save [interval]"}),
       value_column(input,
                    "checkpoint_save_bytes_per_s",
                    {"save_rate", "Save (MB/s)", "what it wrote over that [interval]"},
                    kMega),
       time_column(input,
                   names::kLoadTime,
                   {"load", "Load", "mean time of a load [interval]", kNumber, kPresent}),
       value_column(input,
                    "checkpoint_load_bytes_per_s",
                    {"load_rate", "Load (MB/s)", "size over that [interval]", kNumber, kPresent},
                    kMega),
       recovery_share_column(input,
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
      {trials_column(input, names::kDowntime),
       value_column(input,
                    "failure_detection_time_s",
                    {"detection", "Detection (s)", "until the launcher knew [interval]"}),
       value_column(input,
                    "recovery_time_s",
                    {"recovery", "Recovery (s)", "from there to the next step done [interval]"}),
       value_column(input, names::kDowntime, {"downtime", "Both (s)", "together [interval]"}),
       value_column(input, "lost_steps", {"lost", "Lost steps", "that were repeated [interval]"})});
}

// ---- the scenario

// nullptr where a program measures what it calls so.
const EstimateRow* calculated(const ReportInput& input,
                              const CellRow& cell,
                              const std::string& metric) {
  const EstimateRow* found = input.estimate(cell.id, metric);
  return found == nullptr || found->provenance == Provenance::kMeasured ? nullptr : found;
}

Column<Row> seconds_column(const ReportInput& input,
                           const std::string& metric,
                           const ColumnHead& head) {
  return {head, [&input, metric](const Row& cell) {
            const EstimateRow* found = calculated(input, *cell, metric);
            return found == nullptr ? "" : format_interval(measure_of(*found));
          }};
}

std::string why_no_interval(const EstimateRow& row) {
  switch (row.status) {
    case RowStatus::kNotApplicable:
      return row.value ? "some times that the interval of a measured one holds are too long"
                       : "a save is too long beside the time between failures";
    case RowStatus::kInvalidInput:
      return "the interval of a measured time reaches 0";
    case RowStatus::kInsufficientData:
      return "too few trials";
    default:
      return to_word(row.status);
  }
}

// "Young, Daly: too few trials"
std::string absent_text(const ReportInput& input, const CellRow& cell) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [metric, name] : {std::pair("young_interval_s", "Young"),
                                     std::pair(kDaly, "Daly"),
                                     std::pair(kOverhead, "overhead")}) {
    const EstimateRow* row = calculated(input, cell, metric);
    if (row != nullptr && !row->lo) {
      by_reason[why_no_interval(*row)].emplace_back(name);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [reason, names] : by_reason) {
    texts.push_back(fmt::format("{}: {}", join(names, ", "), reason));
  }
  return join(texts, "; ");
}

// Nobody works at such a rate; how much less than nothing is done says nothing.
Column<Row> overhead_column(const ReportInput& input, const ColumnHead& head) {
  return {head, [&input](const Row& cell) -> std::string {
            constexpr double most = 1000.0;
            const EstimateRow* found = calculated(input, *cell, kOverhead);
            if (found != nullptr && found->value.value_or(0.0) > most) {
              return "> 1,000x";
            }
            return found == nullptr ? "" : format_share(measure_of(*found), "");
          }};
}

std::vector<Column<Row>> interval_columns(const ReportInput& input) {
  using enum Align;
  using enum Shown;
  const auto mtbf = [&input](const Row& cell) {
    const auto& rate = input.declared.analysis.failures;
    return rate ? fmt::format("{} {}",
                              kScenarioMark,
                              format_number(rate->mtbf_s(cell->devices) / kSecondsAnHour))
                : "";
  };
  const auto trials = [&input](const Row& cell) {
    const EstimateRow* overhead = calculated(input, *cell, kOverhead);  // of the fewest
    return trials_used(overhead == nullptr ? calculated(input, *cell, kDaly) : overhead);
  };
  return with_cell_columns<Row>(
      input,
      {{{"n", "n", "trials used / planned"}, trials},
       {{"mtbf", "Between failures (h)", "mean time of all its devices, by the mark of a scenario"},
        mtbf},
       seconds_column(input,
                      "young_interval_s",
                      {"young", "Save every, Young (s)", "of work, by Young [interval]"}),
       seconds_column(
           input, kDaly, {"daly", "Save every, Daly (s)", "of work, by Daly [interval]"}),
       overhead_column(input,
                       {"overhead",
                        "Expected overhead (%)",
                        "of saves and failures, over the work [interval]",
                        kNumber,
                        kPresent}),
       {{"absent", "No interval", "why numbers have none", kText, kPresent},
        [&input](const Row& cell) { return absent_text(input, *cell); }}});
}

std::vector<Row> cells_of_scenario(const ReportInput& input, const Group& group) {
  std::vector<Row> cells;
  std::ranges::copy_if(group.cells, std::back_inserter(cells), [&](Row cell) {
    return calculated(input, *cell, kDaly) != nullptr ||
           calculated(input, *cell, kOverhead) != nullptr;
  });
  return cells;
}

// "0.001 failures a device and hour (price list, 2026-11-01)"
std::string rate_text(const ReportInput& input) {
  const auto& rate = input.declared.analysis.failures;
  return rate ? fmt::format("{} failures per device-hour ({}{})",
                            format_declared(rate->per_device_hour),
                            rate->source,
                            rate->date.empty() ? "" : ", " + rate->date)
              : "";
}

void fill_recovery(View& view, const ReportInput& input, const Figures& figures) {
  const auto tables = [&](const std::vector<Column<Row>>& columns, const char* metric) {
    return group_tables(input, figures, "", [&](const Group& group) {
      return one_table(columns, cells_with(input, group, metric));
    });
  };
  view.set_list("checkpoints", tables(checkpoint_columns(input), names::kSaveTime));
  view.set_list("recoveries", tables(recovery_columns(input), names::kDowntime));
  view.set_list("save_intervals", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(interval_columns(input), cells_of_scenario(input, group));
                }));
  view.set_text("failure_rate", rate_text(input));
}

}  // namespace

Section recovery_section() {
  return {group_table_tags("checkpoints",
                           "what saves and loads of state took",
                           heads_of(checkpoint_columns(empty_input()))) +
              group_table_tags(
                  "recoveries", "what failures took", heads_of(recovery_columns(empty_input()))) +
              group_table_tags("save_intervals",
                               "how often to save by the declared rate of failures: a scenario",
                               heads_of(interval_columns(empty_input()))) +
              Tags{{"failure_rate",
                    TagKind::kText,
                    "0.001 failures per device-hour (provider, 2026-11-01)"}},
          fill_recovery};
}

}  // namespace scalestudy::report

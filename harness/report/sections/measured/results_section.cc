// Step times and throughput of every cell.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/measured/group_notes.h"
#include "harness/report/sections/parameters.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

Column<Row> step_time_column(const ReportInput& input,
                             const Scale& time,
                             Statistic statistic,
                             const ColumnHead& head) {
  return {head, [&input, time, statistic](const Row& cell) {
            return format_half_width(
                measure_of(input.estimate(cell->id, names::kStepTime, statistic)), time.factor);
          }};
}

// In the unit of its rows: a command says its own. Shares are percentages.
std::string unit_of(const ReportInput& input, const Group& group, const Metric& metric) {
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, std::string(metric.name));
    if (row != nullptr && metric.kind != MetricKind::kShare) {
      return row->unit;
    }
  }
  return metric.kind == MetricKind::kShare ? "%" : std::string(metric.unit);
}

Column<Row> metric_column(const ReportInput& input, const Group& group, const Metric& metric) {
  const std::string name(metric.name);
  return {
      {name,
       fmt::format("{} ({})", metric.heading, unit_of(input, group, metric)),
       std::string(metric.meaning),
       Align::kNumber,
       Shown::kPresent},
      [&input, name, factor = metric.kind == MetricKind::kShare ? 100.0 : 1.0](const Row& cell) {
        return format_interval(measure_of(input.estimate(cell->id, name)), {.factor = factor});
      }};
}

std::vector<Column<Row>> result_columns(const ReportInput& input,
                                        const Group& group,
                                        const Scale& time) {
  using enum Shown;
  const auto timed = [&](const char* name) { return fmt::format("{} ({})", name, time.unit); };
  std::vector<Column<Row>> columns = {
      {devices_head(input), [](const Row& cell) { return devices_text(*cell); }},
      {{"batch_global",
        batch_heading(input, names::kBatchGlobal),
        "samples of a step over all devices",
        Align::kNumber,
        kPresent},
       [](const Row& cell) { return count_text(cell->batch_global); }},
      {{"batch_per_device",
        batch_heading(input, names::kBatchPerDevice),
        "samples of a step on one device",
        Align::kNumber,
        kPresent},
       [](const Row& cell) { return count_text(cell->batch_per_device); }},
      {{"parameter_count", "Parameters", "parameters of the model", Align::kNumber, kDiffering},
       [&input](const Row& cell) {
         const Measure size = measure_of(input.estimate(cell->id, names::kParameterCount));
         return size.value ? format_decimals(*size.value, 0) : "";
       }},
      {message_head(), [](const Row& cell) { return message_size_text(*cell); }},
      {{"configuration", "Configuration", "other varied parameters", Align::kText, kPresent},
       [&input](const Row& cell) { return configuration(input, *cell); }},
      {{"n", "n", "trials used / planned"},
       [&input](const Row& cell) {
         return trials_used(input.estimate(cell->id, names::kStepTime));
       }},
      step_time_column(input,
                       time,
                       Statistic::kMean,
                       {"step_time", timed("Step time"), "mean step time ± half-width"}),
      step_time_column(
          input,
          time,
          Statistic::kP50,
          {"p50", timed("p50"), "median step, ± half-width over trials", Align::kNumber, kPresent}),
      step_time_column(
          input,
          time,
          Statistic::kP95,
          {"p95", timed("p95"), "95th percentile of the steps", Align::kNumber, kPresent}),
      step_time_column(
          input,
          time,
          Statistic::kP99,
          {"p99", timed("p99"), "99th percentile of the steps", Align::kNumber, kPresent}),
      {{"cell", "", "2 devices, batch 256", Align::kText, kNever},
       [&input](const Row& cell) { return short_name(input, *cell); }},
      {{"batch", "", "the batch that the scaling holds fixed", Align::kNumber, kNever},
       [&input](const Row& cell) { return count_text(fixed_batch(input, *cell)); }},
      {{"step_time_bounds", "", "interval of the step time", Align::kNumber, kNever},
       [&input, time](const Row& cell) {
         return format_bounds(measure_of(input.estimate(cell->id, names::kStepTime)),
                              {.factor = time.factor});
       }},
  };
  for (const Metric& metric : metrics()) {
    if (metric.has_column) {
      columns.push_back(metric_column(input, group, metric));
    }
  }
  return columns;
}

bool is_shown(const CellRow& cell) {
  return cell.role == CellRole::kMeasured && !cell.excluded_reason;
}

// "trials: separate launches of the program": what the intervals of step times take as their unit.
// If cells differ in it, that of most cells, then the others by name.
std::string intervals_over(const ReportInput& input) {
  std::map<std::string, std::vector<std::string>> cells;  // their names by method
  for (const CellRow& cell : input.cells) {
    const EstimateRow* row = input.estimate(cell.id, names::kStepTime);
    if (is_shown(cell) && row != nullptr && row->lo) {
      cells[row->method].push_back(cell_name(input, cell));
    }
  }
  std::vector<std::pair<std::string, std::string>> units = {
      {"mean_ci_t", "trials: separate launches of the program"},
      {"mean_ci_t_within",
       fmt::format("trials within the {} sessions that ran them", few_sessions(input))},
      {"mean_ci_t_sessions", "sessions, each by its mean"}};
  std::erase_if(units, [&](const auto& unit) { return !cells.contains(unit.first); });
  if (units.empty()) {
    return "trials";
  }
  std::ranges::stable_sort(
      units, std::greater(), [&](const auto& unit) { return cells.at(unit.first).size(); });
  std::string text = units.front().second;
  for (std::size_t i = 1; i < units.size(); ++i) {
    text += fmt::format(
        ". Those of {} are over {}", list_some(cells.at(units[i].first)), units[i].second);
  }
  return text;
}

View::List result_table(const ReportInput& input, const Group& group) {
  View::List tables =
      one_table(result_columns(input, group, time_scale(input, group.cells)), group.cells);
  for (View& table : tables) {
    add_notes(table, input, group);
  }
  return tables;
}

template <typename Row>
std::optional<double> number_of(const Row& row) {
  return row.value;
}

std::optional<double> number_of(const ThresholdRow& row) {
  return row.estimate;
}

// Of the numbers that are there: a projection that was not made is none.
template <typename Rows>
bool are_measured(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const auto& row) {
    return !number_of(row) || row.provenance == Provenance::kMeasured;
  });
}

// The id of the first trial that counts; "" if there is none.
std::string first_trial(const ReportInput& input) {
  std::optional<std::int64_t> first;
  for (const auto& [cell, ids] : input.index.used_trials) {
    first = first ? std::min(*first, ids.front()) : ids.front();
  }
  return first ? std::to_string(*first) : "";
}

void fill_results(View& view, const ReportInput& input, const Figures& figures) {
  view.set_list("results", group_tables(input, figures, "throughput", [&](const Group& group) {
                  return result_table(input, group);
                }));
  const Results& all = input.results;
  view.set_flag("all_measured",
                are_measured(all.estimates) && are_measured(all.comparisons) &&
                    are_measured(all.thresholds) && are_measured(all.laws) &&
                    are_measured(all.targets));
  view.set_text("first_trial", first_trial(input));
  view.set_text("intervals_over", intervals_over(input));
  view.set_flag("has_oversubscribed",
                std::any_of(input.cells.begin(), input.cells.end(), [](const CellRow& cell) {
                  return is_shown(cell) && cell.oversubscribed;
                }));
  const bool has_utilization =
      std::any_of(input.cells.begin(), input.cells.end(), [&](const CellRow& cell) {
        return is_shown(cell) &&
               measure_of(input.estimate(cell.id, names::kUtilization)).value.has_value();
      });
  view.set_flag("has_flop_utilization", has_utilization);
  view.set_flag("lacks_flop_utilization",
                input.declared.workload == Workload::kTrain && !has_utilization &&
                    !gives_parameter(input, "device_peak_flops") &&
                    std::any_of(input.cells.begin(), input.cells.end(), is_shown));
  const auto has_quantile = [&](const CellRow& cell) {
    return is_shown(cell) &&
           measure_of(input.estimate(cell.id, names::kStepTime, Statistic::kP50)).value.has_value();
  };
  view.set_flag("has_quantiles", std::ranges::any_of(input.cells, has_quantile));
}

}  // namespace

Section results_section() {
  using enum TagKind;
  Tags tags = group_table_tags("results",
                               "the cells of a model or operation",
                               heads_of(result_columns(empty_input(), {}, {"ms", 1e3})),
                               "throughput: none, one, or several where one is not enough");
  tags.insert(
      tags.end(),
      {{"results.notes", kList, "why numbers are absent"},
       {"results.notes.note", kText, "a sentence"},
       {"all_measured", kFlag, "no number is published elsewhere, projected or assumed"},
       {"first_trial", kText, "id of the first trial that counts"},
       {"intervals_over", kText, "what intervals take as their unit: trials, sessions"},
       {"has_oversubscribed", kFlag, "some cell had more ranks than cores or shared devices"},
       {"has_quantiles", kFlag, "some cell has quantiles of its steps"},
       {"has_flop_utilization", kFlag, "some cell knows its share of the device's peak"},
       {"lacks_flop_utilization", kFlag, "a training study that declares no peak of its devices"}});
  return {tags, fill_results};
}

}  // namespace scalestudy::report

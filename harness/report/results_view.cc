// Tables of results, one group a model.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/build_view.h"
#include "harness/report/phases.h"

namespace scalestudy::report {
namespace {

// Of a group; each has a flag any_<table>.
constexpr std::array<const char*, 9> kTables = {"results",
                                                "speedups",
                                                "overheads",
                                                "overhead_parts",
                                                "overlap_gains",
                                                "phase_rows",
                                                "communication_rows",
                                                "costs",
                                                "messages"};

Measure measure(const EstimateRow* row) {
  return row == nullptr ? Measure{} : measure_of(*row);
}

double largest_step_time(const ReportInput& input, const Group& group) {
  double largest = 0.0;
  for (const CellRow* cell : group.cells) {
    for (const char* statistic : {"mean", "p50", "p95", "p99"}) {
      const EstimateRow* row = input.estimate(cell->id, "step_time_s", statistic);
      largest = std::max(largest, row != nullptr ? row->value.value_or(0.0) : 0.0);
    }
  }
  return largest;
}

// "5/5", or "3/5" where trials failed or are still to run.
std::string trials_used(const EstimateRow* row) {
  return row == nullptr ? "0" : fmt::format("{}/{}", row->n, row->n_planned);
}

View result_row(const ReportInput& input, const CellRow& cell, const Scale& time) {
  View row = cell_view(input, cell);
  const EstimateRow* step = input.estimate(cell.id, "step_time_s");
  row.set_text("n", trials_used(step));
  row.set_text("step_time", format_half_width(measure(step), time.factor));
  const std::string bounds = format_bounds(measure(step), time.factor);
  row.set_text("step_time_bounds", bounds.empty() ? "–" : bounds);
  row.set_text(
      "p50",
      format_half_width(measure(input.estimate(cell.id, "step_time_s", "p50")), time.factor));
  row.set_text(
      "p95",
      format_half_width(measure(input.estimate(cell.id, "step_time_s", "p95")), time.factor));
  row.set_text(
      "p99",
      format_half_width(measure(input.estimate(cell.id, "step_time_s", "p99")), time.factor));
  row.set_text("throughput", format_interval(measure(input.estimate(cell.id, "throughput")), 1.0));
  row.set_text("throughput_per_device",
               format_interval(measure(input.estimate(cell.id, "throughput_per_device")), 1.0));
  const Measure size = measure(input.estimate(cell.id, kParameterCount));
  row.set_text("parameter_count", size.value ? format_decimals(*size.value, 0) : "–");
  row.set_text("flop_utilization",
               format_interval(measure(input.estimate(cell.id, "model_flop_utilization")), 100.0));
  row.set_flag("oversubscribed", cell.oversubscribed);
  return row;
}

View speedup_row(const ReportInput& input, const CellRow& cell, const ComparisonRow& speedup) {
  View row = cell_view(input, cell);
  const ComparisonRow* efficiency = input.comparison(cell.id, "efficiency");
  row.set_text("base", short_name(input, input.cell(speedup.baseline_cell_id)));
  row.set_text("speedup", format_interval(measure_of(speedup), 1.0, 1.0));
  row.set_text("efficiency",
               efficiency == nullptr ? "–" : format_percent_interval(measure_of(*efficiency), 1.0));
  row.set_text("p_adjusted", format_p(speedup.p_adjusted));
  row.set_text("n", std::to_string(speedup.n));
  row.set_text("verdict", speedup.verdict);
  row.set_text("method", speedup.method);
  return row;
}

// Each phase in the unit of its largest value: some are a thousandth of others.
std::vector<Scale> phase_scales(const ReportInput& input,
                                const Group& group,
                                const std::vector<Phase>& phases) {
  std::vector<Scale> scales;
  for (const Phase& phase : phases) {
    double largest = 0.0;
    for (const CellRow* cell : group.cells) {
      largest =
          std::max(largest, measure(input.estimate(cell->id, phase.metric)).value.value_or(0.0));
    }
    scales.push_back(scale_for("s", largest));
  }
  return scales;
}

void add_phases(View& view, const ReportInput& input, const Group& group) {
  const std::vector<Phase> phases = measured_phases(input, group);
  const std::vector<Scale> scales = phase_scales(input, group, phases);
  View::List names;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    View name;
    name.set_text("phase", phases[i].name);
    name.set_text("phase_unit", scales[i].unit);
    names.push_back(std::move(name));
  }
  View::List rows;
  for (const CellRow* cell : group.cells) {
    if (phases.empty()) {
      break;
    }
    View row = cell_view(input, *cell);
    View::List values;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      View value;
      value.set_text(
          "time",
          format_part(measure(input.estimate(cell->id, phases[i].metric)), scales[i].factor));
      values.push_back(std::move(value));
    }
    row.set_list("times", std::move(values));
    row.set_text("n", trials_used(input.estimate(cell->id, phases.front().metric)));
    rows.push_back(std::move(row));
  }
  view.set_list("phase_names", std::move(names));
  view.set_list("phase_rows", std::move(rows));
}

View::List cost_rows(const ReportInput& input, const Group& group) {
  View::List rows;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* cost = input.estimate(cell->id, "cost_per_million_samples");
    if (cost != nullptr) {
      View row = cell_view(input, *cell);
      row.set_text("n", trials_used(cost));
      row.set_text("cost", format_interval(measure_of(*cost), 1.0));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// What intervals of this group's step times are about where several sessions ran their trials.
View::List session_notes(const ReportInput& input, const Group& group) {
  std::map<std::string, std::size_t> counts;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, "step_time_s");
    ++counts[row != nullptr && row->lo ? row->method : ""];
  }
  View::List rows;
  for (const auto& [method, text] :
       {std::pair("mean_ci_t_within",
                  "hold within the two to four sessions that ran their trials, and say nothing of "
                  "further ones"),
        std::pair("mean_ci_t_sessions", "are over sessions, each by its mean")}) {
    if (counts.contains(method)) {
      View row;
      row.set_text(
          "note",
          fmt::format(
              "The intervals of {} of {} rows {}", counts.at(method), group.cells.size(), text));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Why numbers of this group's results are absent, one line a reason; statistics that are absent
// from the same number of rows for the same reason share it.
View::List notes(const ReportInput& input, const Group& group) {
  std::map<std::pair<std::string, std::string>, std::size_t> absent;  // reason, statistic
  for (const CellRow* cell : group.cells) {
    for (const char* statistic : {"mean", "p50", "p95", "p99"}) {
      const EstimateRow* row = input.estimate(cell->id, "step_time_s", statistic);
      if (row != nullptr && (!row->value || !row->lo)) {
        ++absent[{row->n == 0 ? "no trial counts" : status_meaning(row->status), statistic}];
      }
    }
  }
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> together;
  for (const auto& [key, count] : absent) {
    together[{key.first, count}].push_back(key.second);
  }
  View::List rows = session_notes(input, group);
  for (const auto& [key, statistics] : together) {
    View row;
    row.set_text("note",
                 fmt::format("No interval for the {} of the step time in {} of {} rows: {}",
                             join(statistics, ", "),
                             key.second,
                             group.cells.size(),
                             key.first));
    rows.push_back(std::move(row));
  }
  return rows;
}

void set_figures(View& view, const FigurePaths& figures, std::size_t index) {
  for (const char* kind : {"throughput", "breakdown", "speedup", "message"}) {
    const auto found = figures.find({kind, index});
    View::List rows;
    for (const std::string& path :
         found == figures.end() ? std::vector<std::string>() : found->second) {
      View row;
      row.set_text("path", path);
      rows.push_back(std::move(row));
    }
    view.set_list(std::string(kind) + "_figures", std::move(rows));
  }
}

// What no cell has is no column.
bool has_value(const ReportInput& input,
               const Group& group,
               const std::string& metric,
               const std::string& statistic) {
  return std::any_of(group.cells.begin(), group.cells.end(), [&](const CellRow* cell) {
    return measure(input.estimate(cell->id, metric, statistic)).value.has_value();
  });
}

// What all cells have alike says nothing in a column.
bool differs(const ReportInput& input, const Group& group, const std::string& metric) {
  std::set<double> values;
  for (const CellRow* cell : group.cells) {
    if (const Measure found = measure(input.estimate(cell->id, metric)); found.value) {
      values.insert(*found.value);
    }
  }
  return values.size() > 1;
}

View group_view(const ReportInput& input, const Group& group) {
  const Scale time = scale_for("s", largest_step_time(input, group));
  View view;
  view.set_text("label", group.label);
  view.set_text("time_unit", time.unit);
  View::List results;
  View::List speedups;
  std::string rate_unit = "samples/s";
  for (const CellRow* cell : group.cells) {
    results.push_back(result_row(input, *cell, time));
    if (const EstimateRow* rate = input.estimate(cell->id, "throughput")) {
      rate_unit = rate->unit;
    }
    if (const ComparisonRow* speedup = input.comparison(cell->id, "speedup")) {
      speedups.push_back(speedup_row(input, *cell, *speedup));
    }
  }
  view.set_text("rate_unit", rate_unit);
  view.set_flag("shows_p95", has_value(input, group, "step_time_s", "p95"));
  view.set_flag("shows_p99", has_value(input, group, "step_time_s", "p99"));
  view.set_flag("shows_parameter_count", differs(input, group, kParameterCount));
  view.set_flag("shows_flop_utilization",
                has_value(input, group, "model_flop_utilization", "mean"));
  view.set_list("results", std::move(results));
  view.set_list("speedups", std::move(speedups));
  add_overheads(view, input, group, time);
  add_phases(view, input, group);
  add_communication(view, input, group);
  view.set_list("costs", cost_rows(input, group));
  view.set_list("messages", message_rows(input, group));
  view.set_list("notes", notes(input, group));
  return view;
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
    return !number_of(row) || row.provenance == "measured";
  });
}

}  // namespace

View cell_view(const ReportInput& input, const CellRow& cell) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? format_decimals(static_cast<double>(*value), 0) : std::string("–");
  };
  View row;
  row.set_text("cell", short_name(input, cell));
  const std::string rest = configuration(input, cell);
  row.set_text("configuration", rest.empty() ? "–" : rest);
  row.set_text("batch_global", number(cell.batch_global));
  row.set_text("batch_per_device", number(cell.batch_per_device));
  row.set_text("batch", number(fixed_batch(input, cell)));
  row.set_text("devices", number(cell.devices));
  return row;
}

View results_view(const ReportInput& input, const FigurePaths& figures) {
  View view;
  View::List groups;
  bool has_configuration = false;
  bool has_oversubscribed = false;
  bool has_flop_utilization = false;
  std::set<std::string> present;
  const std::vector<Group> laid_out = group_cells(input);
  for (std::size_t i = 0; i < laid_out.size(); ++i) {
    View group = group_view(input, laid_out[i]);
    set_figures(group, figures, i);
    has_flop_utilization =
        has_flop_utilization || std::get<bool>(group.values().at("shows_flop_utilization"));
    for (const CellRow* cell : laid_out[i].cells) {
      has_configuration = has_configuration || !configuration(input, *cell).empty();
      has_oversubscribed = has_oversubscribed || cell->oversubscribed;
    }
    for (const char* table : kTables) {
      if (std::get<bool>(group.values().at(std::string("has_") + table))) {
        present.insert(table);
      }
    }
    groups.push_back(std::move(group));
  }
  const Results& all = input.results;
  view.set_flag("all_measured",
                are_measured(all.estimates) && are_measured(all.comparisons) &&
                    are_measured(all.thresholds) && are_measured(all.laws) &&
                    are_measured(all.targets));
  view.set_text("batch_head", input.study.scaling == "weak" ? "Batch per device" : "Global batch");
  view.set_flag("has_configuration", has_configuration);
  view.set_flag("has_oversubscribed", has_oversubscribed);
  view.set_flag(
      "lacks_flop_utilization",
      input.declared.workload == "train" && present.contains("results") && !has_flop_utilization);
  for (const char* table : kTables) {
    view.set_flag(std::string("any_") + table, present.contains(table));
  }
  view.set_list("groups", std::move(groups));
  return view;
}

}  // namespace scalestudy::report

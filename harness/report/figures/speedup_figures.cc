// The speedup of each series, and the thresholds that are about it.
#include "harness/report/figures/speedup_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/group_keys.h"
#include "harness/report/input/switch_points.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

std::optional<double> axis_value(const ReportInput& input,
                                 const CellRow& cell,
                                 const std::string& axis) {
  if (axis == names::kParameterCount) {
    const EstimateRow* row = input.estimate(cell.id, axis);
    return row == nullptr ? std::nullopt : row->value;
  }
  return axis_number(cell, axis);
}

// The series that a threshold is about; absent when its curve is not in this figure.
std::optional<std::size_t> series_of(const std::vector<Series>& all, const ThresholdRow& row) {
  const auto found = std::ranges::find_if(all, [&](const Series& series) {
    return std::ranges::find(row.cells, series.cell->id) != row.cells.end();
  });
  return found == all.end() ? std::nullopt
                            : std::optional(static_cast<std::size_t>(found - all.begin()));
}

// The thresholds that the figure shows: of several levels those at the first, where its line is.
std::vector<const ThresholdRow*> thresholds_of(const ReportInput& input, const std::string& axis) {
  std::vector<const ThresholdRow*> rows;
  for (const ThresholdRow& row : input.results.thresholds) {
    if (row.metric == names::kSpeedup && row.along == axis &&
        (rows.empty() || row.level == rows.front()->level)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

// The pieces of the set of possible crossings, each from and to; of a result older than schema
// version 28 one interval.
std::vector<std::pair<double, double>> crossing_pieces(const ThresholdRow& row) {
  std::vector<std::pair<double, double>> pieces;
  for (std::size_t i = 0; i + 1 < row.pieces.size(); i += 2) {
    pieces.emplace_back(row.pieces[i], row.pieces[i + 1]);
  }
  if (pieces.empty() && row.lo && row.hi) {
    pieces.emplace_back(*row.lo, *row.hi);
  }
  return pieces;
}

// Shaded ranges: from, to, series, and 1 for the bracket or 2 for a piece of the interval inside.
// Of equal ones only the first is shaded: two colours on each other are the colour of no series.
std::string ranges(const ReportInput& input,
                   const std::vector<Series>& all,
                   const std::string& axis) {
  std::array<std::vector<std::string>, 4> columns;
  std::set<std::tuple<double, double, int>> shaded;
  const auto add = [&](double from, double to, std::size_t series, int kind) {
    if (to > from && shaded.emplace(from, to, kind).second) {
      columns[0].push_back(fmt::format("{}", from));
      columns[1].push_back(fmt::format("{}", to));
      columns[2].push_back(std::to_string(series + 1));
      columns[3].push_back(std::to_string(kind));
    }
  };
  for (const ThresholdRow* row : thresholds_of(input, axis)) {
    const std::optional<std::size_t> series = series_of(all, *row);
    if (!series) {
      continue;
    }
    if (row->bracket_lo && row->bracket_hi) {
      add(*row->bracket_lo, *row->bracket_hi, *series, 1);
    }
    for (const auto& [from, to] : crossing_pieces(*row)) {
      add(from, to, *series, 2);
    }
  }
  std::string text = fmt::format("range_count = {}\n", columns[0].size());
  if (!columns[0].empty()) {
    text += gnuplot_array("range_from", columns[0]) + gnuplot_array("range_to", columns[1]) +
            gnuplot_array("range_series", columns[2]) + gnuplot_array("range_kind", columns[3]);
  }
  return text;
}

std::string axis_label(const ReportInput& input, const std::string& axis) {
  const std::string name = name_axis(axis, input.declared.labels);
  const std::string unit =
      axis == names::kParameterCount ? "" : parameter_unit(input.declared.workload, axis);
  return name.find(unit) != std::string::npos ? name : name + " (" + unit + ")";
}

std::string speedup_series_name(const ReportInput& input,
                                const CellRow& cell,
                                const std::string& axis) {
  if (axis == names::kDevices) {
    return setting_name(input, on_device_curve(input, cell));
  }
  std::string name = fmt::format("{} device{}", cell.devices, cell.devices == 1 ? "" : "s");
  for (const CellRow::Parameter& parameter : cell.parameters) {
    const bool is_placed = parameter.name == axis || parameter.name == names::kDevices ||
                           (parameter.name == names::kNodes && !input.index.nodes_tell_apart) ||
                           splits_groups(input.declared, parameter.name) ||
                           (axis == names::kParameterCount && shapes_model(parameter.name));
    if (parameter.varied && !is_placed) {
      name += ", " + name_parameter(parameter, input.declared.labels);
    }
  }
  return name + claim_mark(cell);
}

std::vector<Series> speedup_series(const ReportInput& input,
                                   const Group& group,
                                   const std::string& axis) {
  std::vector<Series> all;
  for (const CellRow* cell : group.cells) {
    const ComparisonRow* row = input.comparison(cell->id, names::kSpeedup);
    const std::optional<double> x = axis_value(input, *cell, axis);
    if (row != nullptr && row->value && x) {
      series_named(all, speedup_series_name(input, *cell, axis), cell)
          .points.push_back(make_point(*x, *row));
    }
  }
  return all;
}

// The numeric axis of the declared thresholds, else the batch; the devices if batches differ with
// them alone, so that no two speedups could be joined along the batch.
std::string speedup_axis(const ReportInput& input, const Group& group) {
  for (const ThresholdRow& row : input.results.thresholds) {
    if (row.metric == names::kSpeedup && row.along != kComputationTime) {
      return row.along;
    }
  }
  const std::string batch =
      input.study.scaling == Scaling::kWeak ? names::kBatchPerDevice : names::kBatchGlobal;
  const std::string devices = names::kDevices;
  const auto has_line = [&](const std::string& axis) {
    const std::vector<Series> all = speedup_series(input, group, axis);
    return x_values_of(all).size() > 1 &&
           std::ranges::any_of(all, [](const Series& one) { return one.points.size() > 1; });
  };
  const bool varies = x_values_of(speedup_series(input, group, batch)).size() > 1;
  return varies && !has_line(batch) && has_line(devices) ? devices : batch;
}

// What the script needs of the values besides value_tics(): their ends, and how near they come to
// 0. x_least and x_most become ends above 0, which is where logarithmic axes of users' scripts end.
std::string end_definitions(const std::set<double>& values) {
  double nearest = std::numeric_limits<double>::max();
  for (const double value : values) {
    nearest = value == 0.0 ? nearest : std::min(nearest, std::abs(value));
  }
  const auto least = values.upper_bound(0.0);
  const bool has_least = least != values.end();
  return fmt::format("x_least = {}\nx_most = {}\nx_first = {}\nx_last = {}\nx_nearest = {}\n",
                     has_least ? *least : 1.0,
                     has_least ? *values.rbegin() : 2.0,
                     *values.begin(),
                     *values.rbegin(),
                     nearest);
}

double level_of(const ReportInput& input, const std::string& axis) {
  const std::vector<const ThresholdRow*> rows = thresholds_of(input, axis);
  return rows.empty() ? 1.0 : rows.front()->level;
}

std::string level_definitions(double level) {
  return fmt::format(
      "level = {}\nlevel_name = {}\ninterval_name = {}\n",
      level,
      gnuplot_string(level == 1.0 ? "no gain" : "speedup of " + format_declared(level)),
      gnuplot_string(level == 1.0 ? "possible break-even" : "possible crossing"));
}

// The definition of the tics of the speedup's axis, which holds the level as well.
std::string speedup_tics(const std::vector<Series>& all, double level) {
  double least = level;
  double most = level;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      least = std::min(least, point.lo);
      most = std::max(most, point.hi);
    }
  }
  std::vector<double> usual = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5,
                               0.7,   1,     1.4,   2,    3,    4,    6,   8,   12,  16,
                               24,    32,    48,    64,   96,   128,  256, 512};
  constexpr double wide = 32.0;  // from there on labels of all of them would touch each other
  if (most / least >= wide) {
    for (const double between : {0.3, 0.7, 1.4, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0}) {
      std::erase(usual, between);
    }
  }
  return log_tics('y', least, most, usual);
}

// Where the only crossing of the figure lies; "" of several, or none. Where the speedup falls below
// 1 there is no break-even.
std::string only_crossing(const ReportInput& input,
                          const std::vector<Series>& all,
                          const std::string& axis) {
  std::vector<const ThresholdRow*> found;
  for (const ThresholdRow* row : thresholds_of(input, axis)) {
    if (row->estimate && series_of(all, *row)) {
      found.push_back(row);
    }
  }
  if (found.size() != 1) {
    return "";
  }
  const ThresholdRow& row = *found.front();
  return fmt::format("{} near {} {}",
                     between_of(input, row) != nullptr ? "switch point"
                     : row.level == 1.0 && row.status == RowStatus::kCrossed
                         ? "break-even"
                         : "speedup of " + format_declared(row.level),
                     name_axis(axis, input.declared.labels),
                     format_plain(*row.estimate));
}

// That, or how far speedups go.
std::string title_of(const ReportInput& input,
                     const std::vector<Series>& all,
                     const std::string& axis) {
  const std::string crossing = only_crossing(input, all, axis);
  return crossing.empty() ? fmt::format("Speedup: {}", range_of(all)) : with_capital(crossing);
}

// " of 2 devices and 4 devices", " of 5 settings"; "" of a single one without a name.
std::string lines_text(const std::vector<Series>& all) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> names;
  bool is_short = all.size() <= most_named;
  for (const Series& series : all) {
    names.push_back(series.name);
    is_short = is_short && series.name.find(',') == std::string::npos;
  }
  const std::string text =
      is_short ? join_words(names) : format_count(std::ssize(names), "setting");
  return text.empty() ? "" : " of " + text;
}

// The series with their efficiencies in percent; none unless there are three numbers of devices,
// the baseline's among them.
std::vector<Series> efficiencies(const ReportInput& input,
                                 const std::vector<Series>& all,
                                 const Group& group,
                                 const std::string& axis) {
  constexpr std::size_t least_counts = 3;
  std::set<std::int64_t> counts;
  std::vector<Series> series = all;
  for (Series& one : series) {
    one.points.clear();
  }
  for (const CellRow* cell : group.cells) {
    const ComparisonRow* row = input.comparison(cell->id, names::kEfficiency);
    const std::optional<double> x = axis_value(input, *cell, axis);
    const auto own =
        std::ranges::find(series, speedup_series_name(input, *cell, axis), &Series::name);
    if (row == nullptr || !row->value || !x || own == series.end()) {
      continue;
    }
    counts.insert({cell->devices, input.cell(row->baseline_cell_id).devices});
    Point point = make_point(*x, *row);
    for (double* value : {&point.y, &point.lo, &point.hi}) {
      *value *= 100.0;
    }
    own->points.push_back(point);
  }
  sort_points(series);
  return counts.size() < least_counts ? std::vector<Series>() : series;
}

// - all: series of the figure.
std::string efficiency_definitions(const ReportInput& input,
                                   const std::vector<Series>& all,
                                   const Group& group,
                                   const std::string& axis) {
  const std::vector<Series> series = efficiencies(input, all, group, axis);
  return fmt::format("has_efficiency = {}\n", series.empty() ? 0 : 1) +
         (series.empty() ? "" : data_definition("$efficiency", series));
}

// The series of each figure.
std::vector<std::vector<Series>> speedup_pieces(const ReportInput& input,
                                                const Group& group,
                                                const std::string& axis) {
  std::vector<Series> all = speedup_series(input, group, axis);
  if (x_values_of(all).size() < 2) {
    return {};
  }
  clip_at_edge(all);
  sort_points(all);
  label_series(all);
  return split_evenly(all, kMostSeries);
}

}  // namespace

std::vector<GroupFigure> speedup_figures(const ReportInput& input, const Group& group) {
  const std::string axis = speedup_axis(input, group);
  const auto pieces = speedup_pieces(input, group, axis);
  std::vector<Series> all;  // every figure has the values of all
  for (const std::vector<Series>& piece : pieces) {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  std::vector<std::string> names;
  std::ranges::transform(group.cells, std::back_inserter(names), [&](const CellRow* cell) {
    return speedup_series_name(input, *cell, axis);
  });
  std::set<double> marked;  // names of series have the mark along other axes
  for (const CellRow* cell : group.cells) {
    if (axis == names::kDevices && cell->oversubscribed) {
      marked.insert(static_cast<double>(cell->devices));
    }
  }
  std::vector<GroupFigure> figures;
  figures.reserve(pieces.size());
  for (const std::vector<Series>& piece : pieces) {
    GroupFigure figure;
    figure.shown = group_of(group, piece, names);
    figure.definitions =
        figure_title(group, title_of(input, piece, axis), figures.size(), pieces.size()) +
        "x_label = " + gnuplot_string(axis_label(input, axis)) +
        "\ny_label = 'speedup over the baseline'\n" + series_definitions(piece) +
        value_tics(all,
                   /*is_log=*/true,
                   marked,
                   axis == names::kParameterCount ? short_count : format_axis_value) +
        end_definitions(x_values_of(all)) + level_definitions(level_of(input, axis)) +
        speedup_tics(piece, level_of(input, axis)) +
        efficiency_definitions(input, piece, group, axis) + ranges(input, piece, axis);
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string speedup_text(const ReportInput& input, const Group& group, const Group& shown) {
  const std::string axis = speedup_axis(input, group);
  const std::vector<Series> all = speedup_series(input, shown, axis);
  const bool has_intervals = std::ranges::any_of(all, [](const Series& series) {
    return std::ranges::any_of(series.points, [](const Point& one) { return one.lo < one.hi; });
  });
  const double level = level_of(input, axis);
  const std::string crossing = only_crossing(input, all, axis);
  return fmt::format("Speedup{} against {}, with {}the line of {}: {}",
                     lines_text(all),
                     name_axis(axis, input.declared.labels),
                     has_intervals ? "intervals and " : "",
                     level == 1.0 ? "no gain" : "speedup " + format_declared(level),
                     crossing.empty() ? range_of(all) : crossing);
}

}  // namespace scalestudy::report

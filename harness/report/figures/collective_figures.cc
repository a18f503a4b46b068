#include "harness/report/figures/collective_figures.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// What is drawn of each cell.
struct Quantity {
  const char* metric;
  const char* title;
  const char* unit;
  double factor;
};

// Variables without what all begin with, or the legend leaves no room: an MCA parameter by its own
// name. A label of the study stays.
ParameterLabels short_labels(const ReportInput& input, const CellRow& cell) {
  ParameterLabels labels = input.declared.labels;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    for (const std::string_view prefix : {"env.OMPI_MCA_", "env."}) {
      if (parameter.name.starts_with(prefix)) {
        labels.emplace(parameter.name, parameter.name.substr(prefix.size()));
      }
    }
  }
  return labels;
}

std::string series_name(const ReportInput& input, const CellRow& cell) {
  const std::string rest = curve_configuration(input, cell, short_labels(input, cell));
  if (!rest.empty() && find_varied(cell, names::kDevices) == nullptr) {
    return rest + claim_mark(cell);
  }
  return format_count(cell.devices, "device") + (rest.empty() ? "" : ", " + rest) +
         claim_mark(cell);
}

// Of each series its line, as message.gp draws it; NaN where it has none.
std::string line_definitions(const ReportInput& input,
                             const std::vector<Series>& all,
                             const Quantity& quantity) {
  std::vector<std::string> alphas;
  std::vector<std::string> bandwidths;
  std::vector<std::string> factors;
  bool has_line = false;
  for (const Series& series : all) {
    const std::optional<FittedLine> line = fitted_line(input, *series.cell);
    const EstimateRow* bus = input.estimate(series.cell->id, names::kBusBandwidth);
    const EstimateRow* algorithm = input.estimate(series.cell->id, names::kAlgorithmBandwidth);
    const bool is_drawn = line && bus != nullptr && bus->value && algorithm != nullptr &&
                          algorithm->value.value_or(0.0) > 0.0;
    has_line |= is_drawn;
    alphas.push_back(is_drawn ? fmt::format("{}", *line->alpha->value) : "NaN");
    bandwidths.push_back(is_drawn ? fmt::format("{}", *line->bandwidth->value) : "NaN");
    factors.push_back(is_drawn ? fmt::format("{}", *bus->value / *algorithm->value) : "NaN");
  }
  return gnuplot_array("line_alpha_s", alphas) + gnuplot_array("line_bandwidth", bandwidths) +
         gnuplot_array("line_factor", factors) +
         fmt::format("has_line = {}\nis_time = {}\n",
                     has_line ? 1 : 0,
                     quantity.metric == std::string_view(names::kStepTime) ? 1 : 0);
}

std::string size_text(double bytes) {
  return format_bytes(static_cast<std::int64_t>(bytes));
}

std::string value_axis_tics(const std::vector<Series>& all) {
  double least = all.front().points.front().lo;
  double most = least;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      least = std::min(least, point.lo);
      most = std::max(most, point.hi);
    }
  }
  return log_tics('y', least, most, round_numbers());
}

std::vector<std::string> definitions(const ReportInput& input,
                                     const Group& group,
                                     const Quantity& quantity) {
  std::vector<Series> all;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, quantity.metric);
    const std::optional<std::int64_t> bytes = message_bytes(*cell);
    if (bytes && row != nullptr && row->value.value_or(0.0) > 0.0) {
      Point point = make_point(static_cast<double>(*bytes), *row);
      point.y *= quantity.factor;
      point.lo *= quantity.factor;
      point.hi *= quantity.factor;
      series_named(all, series_name(input, *cell), cell).points.push_back(point);
    }
  }
  if (x_values_of(all).size() < 2) {
    return {};
  }
  clip_at_edge(all);
  sort_points(all);
  label_series(all);
  const auto pieces = split_evenly(all, kMostSeries);
  std::vector<std::string> figures;
  figures.reserve(pieces.size());
  for (const std::vector<Series>& piece : pieces) {
    figures.push_back(
        figure_title(group,
                     fmt::format("{}: {} {}", quantity.title, range_of(piece), quantity.unit),
                     figures.size(),
                     pieces.size()) +
        "x_label = 'message'\ny_label = " +
        gnuplot_string(fmt::format("{} ({})", quantity.title, quantity.unit)) + "\n" +
        series_definitions(piece) + line_definitions(input, piece, quantity) +
        value_tics(piece, /*is_log=*/true, {}, size_text) + value_axis_tics(piece));
  }
  return figures;
}

}  // namespace

std::optional<FittedLine> fitted_line(const ReportInput& input, const CellRow& cell) {
  FittedLine line;
  for (const LawRow& law : input.results.laws) {
    if (law.law != Law::kAlphaBeta || !law.value ||
        std::ranges::find(law.cells, cell.id) == law.cells.end()) {
      continue;
    }
    if (law.parameter == "alpha_s") {
      line.alpha = &law;
    } else if (law.parameter == "bandwidth_bytes_per_s") {
      line.bandwidth = &law;
    }
  }
  return line.alpha != nullptr && line.bandwidth != nullptr ? std::optional(line) : std::nullopt;
}

std::string fitted_lines_text(const ReportInput& input, const Group& group) {
  std::vector<std::string> texts;
  for (const CellRow* cell : group.cells) {
    const std::optional<FittedLine> line = fitted_line(input, *cell);
    if (!line) {
      continue;
    }
    const Scale time = scale_for("s", *line->alpha->value);
    const Scale rate = scale_for("bytes/s", *line->bandwidth->value);
    const std::string text =
        fmt::format("{}: latency {} {}, bandwidth {} {}",
                    series_name(input, *cell),
                    format_interval(measure_of(*line->alpha), {.factor = time.factor}),
                    time.unit,
                    format_interval(measure_of(*line->bandwidth), {.factor = rate.factor}),
                    rate.unit);
    if (std::ranges::find(texts, text) == texts.end()) {
      texts.push_back(text);
    }
  }
  return join(texts, "; ");
}

std::vector<std::string> message_definitions(const ReportInput& input, const Group& group) {
  // The time of a step is that of an operation in this workload alone.
  if (input.declared.workload != Workload::kCollective) {
    return {};
  }
  std::vector<std::string> figures =
      definitions(input, group, {names::kBusBandwidth, "Bus bandwidth", "GB/s", 1e-9});
  for (std::string& figure :
       definitions(input, group, {"step_time_s", "Time of an operation", "µs", 1e6})) {
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace scalestudy::report

#include "harness/report/figures/projection_figures.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/cell_names.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/measure.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Cells = std::map<std::int64_t, const CellRow*>;

void add_cell(const ReportInput& input, const Group& group, std::int64_t cell_id, Cells& cells) {
  const CellRow& cell = input.cell(cell_id);
  const EstimateRow* step = input.estimate(cell_id, names::kStepTime);
  if (step != nullptr && step->value &&
      std::ranges::find(group.cells, &cell) != group.cells.end()) {
    cells.emplace(cell.devices, &cell);
  }
}

// Cells of the group whose trials the projection rests on.
Cells cells_of(const ReportInput& input, const Group& group, const ProjectionRow& row) {
  Cells cells;
  for (const std::int64_t id : row.trials) {
    if (const TrialRow* trial = input.trial(id)) {
      add_cell(input, group, trial->cell_id, cells);
    }
  }
  return cells;
}

const ProjectionRow& newest_of(const ProjectedCurve& curve) {
  return **std::ranges::max_element(
      curve.rows, {}, [](const ProjectionRow* row) { return row->made_at; });
}

Point measured_point(const ReportInput& input, const CellRow& cell) {
  return make_point(static_cast<double>(cell.devices), *input.estimate(cell.id, names::kStepTime));
}

Point projected_point(const ProjectionRow& row) {
  return make_point(static_cast<double>(row.devices), row);
}

// The unit of all times of the curves.
Scale scale_of(const ReportInput& input, const std::vector<ProjectedCurve>& curves) {
  double largest = 0.0;
  for (const ProjectedCurve& curve : curves) {
    for (const auto& [devices, cell] : curve.measured) {
      largest = std::max(largest, measured_point(input, *cell).y);
    }
    for (const ProjectionRow* row : curve.rows) {
      largest = std::max(largest, *row->value);
    }
  }
  return scale_for("s", largest);
}

std::string line_of(const Point& point, double factor) {
  return fmt::format(
      "{} {} {} {}", point.x, point.y * factor, point.lo * factor, point.hi * factor);
}

// The dashed line: from the most devices that the newest projection rests on to what it says.
std::string dashed_line(const ReportInput& input, const ProjectedCurve& curve, double factor) {
  const ProjectionRow& newest = newest_of(curve);
  std::string text;
  for (const auto& [devices, cell] : curve.measured) {
    if (devices < newest.devices) {
      text = line_of(measured_point(input, *cell), factor) + "\n";
    }
  }
  for (const ProjectionRow* row : curve.rows) {
    text += row->made_at == newest.made_at ? line_of(projected_point(*row), factor) + "\n" : "";
  }
  return text;
}

std::string curve_definitions(const ReportInput& input,
                              const std::vector<ProjectedCurve>& curves,
                              double factor) {
  std::string measured = "$measured << SCALESTUDY_END\n";
  std::string projected = "$projected << SCALESTUDY_END\n";
  std::string lines = "$line << SCALESTUDY_END\n";
  std::vector<std::string> names;
  for (const ProjectedCurve& curve : curves) {
    names.push_back(gnuplot_string(curve.label.empty() ? measured_word(input)
                                                       : curve_label(input, curve.label)));
    for (const auto& [devices, cell] : curve.measured) {
      measured += fmt::format("{} {}\n",
                              line_of(measured_point(input, *cell), factor),
                              curve.held_out.contains(devices) ? 1 : 0);
    }
    for (const ProjectionRow* row : curve.rows) {
      projected += line_of(projected_point(*row), factor) + "\n";
    }
    lines += dashed_line(input, curve, factor);
    for (std::string* block : {&measured, &projected, &lines}) {
      *block += "\n\n";
    }
  }
  return measured + "SCALESTUDY_END\n" + projected + "SCALESTUDY_END\n" + lines +
         "SCALESTUDY_END\n" + fmt::format("series_count = {}\n", curves.size()) +
         gnuplot_array("series_name", names);
}

// Tics at all numbers of devices.
std::string device_tics(const std::vector<ProjectedCurve>& curves) {
  Series all;
  for (const ProjectedCurve& curve : curves) {
    for (const auto& [devices, cell] : curve.measured) {
      all.points.push_back({.x = static_cast<double>(devices)});
    }
    for (const ProjectionRow* row : curve.rows) {
      all.points.push_back({.x = static_cast<double>(row->devices)});
    }
  }
  return value_tics({all}, /*is_log=*/true);
}

// "29.0 [28.1, 29.9] ms on 16 devices, +1.0 % off what was measured later".
std::string row_text(const ReportInput& input, const ProjectionRow& row) {
  const Scale scale = scale_for("s", *row.value);
  return fmt::format(
      "{} {} on {} devices{}",
      format_interval({row.value, row.lo, row.hi}, {.factor = scale.factor}),
      scale.unit,
      row.devices,
      row.error ? fmt::format(
                      ", {:+.1f} % off what was {} later", 100.0 * *row.error, measured_word(input))
                : "");
}

}  // namespace

std::vector<ProjectedCurve> projected_curves(const ReportInput& input, const Group& group) {
  std::vector<ProjectedCurve> curves;
  for (const ProjectionRow& row : input.results.projections) {
    Cells cells = cells_of(input, group, row);
    if (row.provenance == Provenance::kScenario || !row.value || cells.empty()) {
      continue;
    }
    if (row.cell_id) {
      add_cell(input, group, *row.cell_id, cells);
    }
    auto curve = std::ranges::find(curves, row.group_label, &ProjectedCurve::label);
    if (curve == curves.end()) {
      curve = curves.insert(curves.end(), ProjectedCurve{row.group_label, {}, {}, {}});
    }
    curve->measured.merge(cells);
    curve->rows.push_back(&row);
  }
  for (ProjectedCurve& curve : curves) {
    const ProjectionRow& newest = newest_of(curve);
    const Cells rested = cells_of(input, group, newest);
    const std::int64_t held_out = std::min(newest.held_out, std::ssize(rested));
    for (auto cell = std::prev(rested.end(), held_out); cell != rested.end(); ++cell) {
      curve.held_out.insert(cell->first);
    }
    std::ranges::stable_sort(curve.rows, {}, [](const ProjectionRow* row) {
      return std::tuple(row->devices, row->made_at);
    });
  }
  return curves;
}

std::vector<std::string> projection_definitions(const ReportInput& input, const Group& group) {
  const auto pieces = split_evenly(projected_curves(input, group), kMostSeries);
  std::vector<std::string> figures;
  figures.reserve(pieces.size());
  for (const std::vector<ProjectedCurve>& piece : pieces) {
    const Scale scale = scale_of(input, piece);
    figures.push_back(
        figure_title(group,
                     fmt::format("Time of a step, {} and projected", measured_word(input)),
                     figures.size(),
                     pieces.size()) +
        "x_label = " + gnuplot_string(label_of(input, names::kDevices)) +
        "\ny_label = " + gnuplot_string("time of a step (" + scale.unit + ")") + "\n" +
        curve_definitions(input, piece, scale.factor) + device_tics(piece));
  }
  return figures;
}

std::string projection_text(const ReportInput& input, const Group& group) {
  constexpr std::size_t most_curves = 4;
  std::vector<std::string> texts;
  for (const ProjectedCurve& curve : projected_curves(input, group)) {
    std::vector<std::string> held_out;
    for (const std::int64_t devices : curve.held_out) {
      held_out.push_back(std::to_string(devices));
    }
    std::vector<std::string> rows;
    for (const ProjectionRow* row : curve.rows) {
      rows.push_back(row_text(input, *row));
    }
    texts.push_back(
        fmt::format("{}{} up to {} devices{}; projected, not {}: {}",
                    curve.label.empty() ? "" : curve_label(input, curve.label) + ": ",
                    measured_word(input),
                    curve.measured.rbegin()->first,
                    held_out.empty() ? "" : ", " + join(held_out, ", ") + " held out of the fit",
                    measured_word(input),
                    join(rows, ", ")));
  }
  if (texts.size() > most_curves) {
    texts.resize(most_curves);
    texts.emplace_back("and more");
  }
  return fmt::format(
      "Time of a step against devices, what was {} as dots with intervals, what was projected as "
      "diamonds on a dashed line: {}",
      measured_word(input),
      join(texts, "; "));
}

}  // namespace scalestudy::report

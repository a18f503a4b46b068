// Data of the figures as gnuplot definitions.
#include "harness/report/figures/figures.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/report/figures/alt_text.h"
#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/collective_figures.h"
#include "harness/report/figures/cost_figures.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/figures/learning_figures.h"
#include "harness/report/figures/projection_figures.h"
#include "harness/report/figures/speedup_figures.h"
#include "harness/report/figures/trial_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/phases.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostBars = 24;

std::string path_of(const std::string& kind, const Group& group, std::size_t piece) {
  return "figures/" + kind + (group.slug.empty() ? "" : "-" + group.slug) +
         (piece == 0 ? "" : fmt::format("_{}", piece + 1)) + ".svg";
}

// ---- throughput against devices

// - is_log: on logarithmic axes nothing is too small to be seen.
std::vector<std::vector<Series>> throughput_pieces(const std::vector<Series>& all, bool is_log) {
  if (is_log) {
    return split_evenly(all, kMostSeries);
  }
  std::vector<std::vector<Series>> pieces;
  const auto range = [](const Series& series) {
    const auto [least, most] = std::minmax_element(
        series.points.begin(), series.points.end(), [](const Point& a, const Point& b) {
          return a.y < b.y;
        });
    return std::pair(least->y, most->y);
  };
  for (const std::vector<Series>& alike : comparable_pieces(all, range)) {
    for (std::vector<Series>& piece : split_evenly(alike, kMostSeries)) {
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

// None when there is nothing to compare.
std::vector<Series> throughput_series(const ReportInput& input,
                                      const Group& group,
                                      const Metric& metric) {
  std::vector<Series> all;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, std::string(metric.name));
    if (row != nullptr && row->value) {
      series_named(all, setting_name(input, on_device_curve(input, *cell)), cell)
          .points.push_back(make_point(static_cast<double>(cell->devices), *row));
    }
  }
  if (x_values_of(all).size() < 2) {
    return {};
  }
  sort_points(all);
  label_series(all);
  return all;
}

// The lines of ideal scaling, and the axes.
std::string throughput_axes(const std::vector<Series>& piece,
                            const std::vector<Series>& all,
                            const std::set<double>& oversubscribed,
                            bool is_log) {
  std::vector<std::string> from;
  std::vector<std::string> slope;
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const Series& series : piece) {
    // A single point has no line of its own: what it should reach is its base's.
    from.push_back(series.points.size() < 2 ? "1e300" : fmt::format("{}", series.points.front().x));
    slope.push_back(fmt::format("{}", series.points.front().y / series.points.front().x));
    for (const Point& point : series.points) {
      least = std::min(least, point.lo);
      most = std::max(most, point.hi);
    }
  }
  const double top = 1.25 * most;  // the axis's end, as its script has it
  // An axis needs two values: those of all series where this figure has one.
  const bool has_range = x_values_of(piece).size() > 1;
  return gnuplot_array("ideal_from", from) + gnuplot_array("ideal_per_device", slope) +
         value_tics(has_range ? piece : all, is_log, oversubscribed) +
         fmt::format("is_log = {}\n", is_log ? 1 : 0) +
         (is_log ? "has_labels = has_log_labels\n" +
                       log_tics('y', least, top, round_numbers(), short_count)
                 : count_tics(top));
}

std::vector<GroupFigure> throughput_figures(const ReportInput& input,
                                            const Group& group,
                                            const Metric& metric) {
  std::vector<Series> all = throughput_series(input, group, metric);
  std::set<double> oversubscribed;
  std::string unit;
  std::vector<std::string> names;
  for (const CellRow* cell : group.cells) {
    names.push_back(setting_name(input, on_device_curve(input, *cell)));
    const EstimateRow* row = input.estimate(cell->id, std::string(metric.name));
    unit = row == nullptr ? unit : row->unit;
    if (row != nullptr && row->value && cell->oversubscribed) {
      oversubscribed.insert(static_cast<double>(cell->devices));
    }
  }
  const bool is_log = need_log_axis(x_values_of(all));
  if (is_log) {
    clip_at_edge(all);
  }
  const auto pieces = throughput_pieces(all, is_log);
  std::vector<GroupFigure> figures;
  figures.reserve(pieces.size());
  for (const std::vector<Series>& piece : pieces) {
    GroupFigure figure;
    figure.shown = group_of(group, piece, names);
    figure.definitions =
        figure_title(group,
                     fmt::format("{}: {} {}", metric.heading, range_of(piece), unit),
                     figures.size(),
                     pieces.size()) +
        "x_label = " + gnuplot_string(label_of(input, names::kDevices)) +
        "\ny_label = " + gnuplot_string(fmt::format("throughput ({})", unit)) + "\n" +
        series_definitions(piece) + throughput_axes(piece, all, oversubscribed, is_log);
    figures.push_back(std::move(figure));
  }
  return figures;
}

// ---- step time by phase

std::string bar_definitions(const ReportInput& input,
                            const std::vector<const CellRow*>& cells,
                            const std::vector<Phase>& phases,
                            const Scale& scale) {
  std::vector<std::string> names;
  std::transform(phases.begin(), phases.end(), std::back_inserter(names), [](const Phase& phase) {
    return gnuplot_string(phase.name);
  });
  std::vector<std::string> bars;
  std::ranges::transform(cells, std::back_inserter(bars), [&](const CellRow* cell) {
    return short_name(input, *cell) + claim_mark(*cell);
  });
  bars = legend_names(bars);
  std::string data = "$data << SCALESTUDY_END\n";
  std::string labels = "set ytics (";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const EstimateRow* step = input.estimate(cells[i]->id, names::kStepTime);
    const Point whole = make_point(0.0, *step);
    data += fmt::format(
        "{} {} {}", whole.y * scale.factor, whole.lo * scale.factor, whole.hi * scale.factor);
    for (const Phase& phase : phases) {
      data += fmt::format(" {}", *input.estimate(cells[i]->id, phase.metric)->value * scale.factor);
    }
    data += "\n";
    labels += (i == 0 ? "" : ", ") + gnuplot_tic(bars[i]) + fmt::format(" {}", i);
    bars[i] = gnuplot_string(bars[i]);
  }
  return "y_label = " + gnuplot_string("mean step time (" + scale.unit + ")") + "\n" + data +
         "SCALESTUDY_END\n" +
         fmt::format("bar_count = {}\nphase_count = {}\n", cells.size(), phases.size()) +
         gnuplot_array("phase_name", names) + gnuplot_array("bar_name", bars) + labels + ")\n";
}

// Shortest and longest mean step time.
std::pair<double, double> step_time_range_s(const ReportInput& input,
                                            const std::vector<const CellRow*>& cells) {
  std::vector<double> times_s;
  std::transform(cells.begin(), cells.end(), std::back_inserter(times_s), [&](const CellRow* cell) {
    return *input.estimate(cell->id, names::kStepTime)->value;
  });
  const auto [least, most] = std::minmax_element(times_s.begin(), times_s.end());
  return {*least, *most};
}

// Bars that differ in their devices only stay together.
std::vector<std::vector<const CellRow*>> bar_pieces(const ReportInput& input,
                                                    const std::vector<const CellRow*>& cells) {
  using Cells = std::vector<const CellRow*>;
  std::vector<Cells> scalings;
  for (const CellRow* cell : cells) {
    const auto belongs = [&](const CellRow& other) {
      return configuration(input, on_device_curve(input, other)) ==
                 configuration(input, on_device_curve(input, *cell)) &&
             fixed_batch(input, other) == fixed_batch(input, *cell);
    };
    if (scalings.empty() || !belongs(*scalings.back().front())) {
      scalings.emplace_back();
    }
    scalings.back().push_back(cell);
  }
  const auto range = [&](const Cells& scaling) { return step_time_range_s(input, scaling); };
  std::vector<Cells> pieces;
  for (const std::vector<Cells>& alike : comparable_pieces(scalings, range)) {
    Cells together;
    for (const Cells& scaling : alike) {
      together.insert(together.end(), scaling.begin(), scaling.end());
    }
    for (Cells& piece : split_evenly(together, kMostBars)) {
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

// Of one figure each; none without phases.
std::vector<std::vector<const CellRow*>> breakdown_pieces(const ReportInput& input,
                                                          const Group& group,
                                                          const std::vector<Phase>& phases) {
  std::vector<const CellRow*> cells;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* step = input.estimate(cell->id, names::kStepTime);
    const bool has_phases = std::all_of(phases.begin(), phases.end(), [&](const Phase& phase) {
      const EstimateRow* row = input.estimate(cell->id, phase.metric);
      return row != nullptr && row->value;
    });
    if (has_phases && step != nullptr && step->value.value_or(0.0) > 0.0) {
      cells.push_back(cell);
    }
  }
  return phases.empty() ? std::vector<std::vector<const CellRow*>>() : bar_pieces(input, cells);
}

std::vector<GroupFigure> breakdown_figures(const ReportInput& input, const Group& group) {
  const std::vector<Phase> phases = measured_phases(input, group);
  const auto pieces = breakdown_pieces(input, group, phases);
  std::vector<GroupFigure> figures;
  figures.reserve(pieces.size());
  for (const std::vector<const CellRow*>& piece : pieces) {
    const auto [least, largest] = step_time_range_s(input, piece);
    const Scale scale = scale_for("s", largest);
    const std::string from = format_plain(least * scale.factor);
    const std::string to = format_plain(largest * scale.factor);
    GroupFigure figure;
    figure.shown = group;
    figure.shown.cells = piece;
    figure.definitions =
        figure_title(
            group,
            fmt::format(
                "Step time by phase: {}{} {}", from == to ? "" : from + " to ", to, scale.unit),
            figures.size(),
            pieces.size()) +
        bar_definitions(input, piece, phases, scale);
    figures.push_back(std::move(figure));
  }
  return figures;
}

// The script of that name in the first folder that has it; the last one is that of the product.
std::filesystem::path find_script(const std::vector<std::filesystem::path>& folders,
                                  const std::string& name) {
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::is_regular_file(folder / name)) {
      return folder / name;
    }
  }
  throw Error(ErrorKind::kUsage,
              (folders.back() / name).string() + ": cannot read this figure script");
}

// After style.gp, whose terminal it replaces: the same picture, 100 of its pixels an inch.
constexpr const char* kPdfTerminal =
    "set terminal pdfcairo noenhanced color fontscale 0.7 linewidth 2 font "
    "'Helvetica,Arial,sans-serif,10.8' size 6.4in, (exists('height') ? height : 480) / 100.0 in\n";

// Figures that show the group's cells all.
std::vector<GroupFigure> whole(const Group& group, const std::vector<std::string>& definitions) {
  std::vector<GroupFigure> figures;
  std::ranges::transform(definitions, std::back_inserter(figures), [&](const std::string& text) {
    return GroupFigure{.shown = group, .definitions = text};
  });
  return figures;
}

// Runs a script where it stands, so that gnuplot's words name its file and line.
std::string run_script(const std::filesystem::path& script) {
  return "load " + gnuplot_path(script) + "\n";
}

}  // namespace

std::vector<FigurePlan> plan_figures(const ReportInput& input) {
  const std::vector<Group> groups = group_cells(input);
  // A figure may be shown without its report.
  const bool is_marked = is_emulated(input) || is_imported(input);
  const std::string remark =
      is_marked ? fmt::format("title_text = title_text . ' ({})'\n", measured_word(input)) : "";
  std::vector<FigurePlan> plans;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const auto add = [&](const std::string& kind,
                         const std::string& name,
                         const std::vector<GroupFigure>& figures,
                         const auto& text_of) {
      for (const GroupFigure& figure : figures) {
        const auto piece = static_cast<std::size_t>(&figure - figures.data());
        std::string alt = text_of(input, figure.shown);
        std::ranges::replace(alt, '[', '(');  // a bracket of a name would end the text early
        std::ranges::replace(alt, ']', ')');
        plans.push_back(
            {kind, i, path_of(name, group, piece), std::move(alt), figure.definitions + remark});
      }
    };
    // Tokens first, as in tables: the first figure is the one beside the answer.
    for (const char* name : {names::kTokensPerSecond, names::kThroughput}) {
      const Metric& metric = *find_metric(name);
      add("throughput",
          slug_of(name),
          throughput_figures(input, group, metric),
          [&](const auto& of, const Group& shown) { return rate_text(of, shown, metric); });
    }
    add("breakdown", "breakdown", breakdown_figures(input, group), breakdown_text);
    if (input.declared.workload != Workload::kCollective) {
      // A collective's speedups are over settings, whose names leave a legend beside no room.
      add("speedup",
          "speedup",
          speedup_figures(input, group),
          [&](const auto& of, const Group& shown) { return speedup_text(of, group, shown); });
    }
    add("message", "message", whole(group, message_definitions(input, group)), message_text);
    add("trials", "trials", whole(group, trial_definitions(input, group)), trials_text);
    add("cost", "cost", whole(group, cost_definitions(input, group)), cost_text);
    add("projection",
        "projection",
        whole(group, projection_definitions(input, group)),
        projection_text);
    for (const LearnedValue& value : learned_values()) {
      add("learning",
          learning_slug(value),
          whole(group, learning_definitions(input, group, value)),
          [&](const auto& of, const Group& shown) { return learning_text(of, shown, value); });
    }
  }
  return plans;
}

Figures figures_of(const std::vector<FigurePlan>& plans) {
  Figures figures;
  for (const FigurePlan& plan : plans) {
    figures[{plan.kind, plan.group}].push_back({plan.path, plan.alt});
  }
  return figures;
}

std::vector<std::string> draw_figures(const std::vector<FigurePlan>& plans,
                                      const std::vector<std::filesystem::path>& folders,
                                      FigureFormat format) {
  const std::string style = (plans.empty() ? "" : run_script(find_script(folders, "style.gp"))) +
                            (format == FigureFormat::kPdf ? kPdfTerminal : "");
  std::vector<FigureProgram> programs;
  programs.reserve(plans.size());
  for (const FigurePlan& plan : plans) {
    const std::filesystem::path script = find_script(folders, plan.kind + ".gp");
    programs.push_back({.name = script.string(),
                        .text = plan.definitions + style + run_script(script),
                        .is_alone = script.parent_path() != folders.back()});
  }
  return format == FigureFormat::kPdf ? draw_pdfs(programs) : draw_svgs(programs);
}

}  // namespace scalestudy::report

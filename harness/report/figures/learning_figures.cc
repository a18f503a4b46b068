#include "harness/report/figures/learning_figures.h"

#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/text/measure.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// A series a cell, a point an epoch.
std::vector<Series> curves_of(const ReportInput& input,
                              const Group& group,
                              const LearnedValue& value) {
  const std::string stem = fmt::format("epoch_{}:", value.metric);
  std::map<std::int64_t, std::vector<Point>> points;  // by the cell
  for (const EstimateRow& row : input.results.estimates) {
    if (row.value && row.variant == Variant::kAll && row.metric.starts_with(stem)) {
      points[row.cell_id].push_back(make_point(std::stod(row.metric.substr(stem.size())), row));
    }
  }
  std::vector<Series> all;
  for (const CellRow* cell : group.cells) {
    if (const auto found = points.find(cell->id); found != points.end()) {
      all.push_back({short_name(input, *cell), cell, std::move(found->second)});
    }
  }
  sort_points(all);
  return all;
}

// The levels that the study wants to reach, as words.
std::string goals_of(const ReportInput& input, const LearnedValue& value) {
  std::vector<std::string> goals;
  for (const TimeToRequest& request : input.declared.analysis.time_to) {
    if (request.metric == value.metric) {
      goals.push_back(fmt::format("{}", request.level()));
    }
  }
  return join(goals, " ");
}

}  // namespace

const std::vector<LearnedValue>& learned_values() {
  static const std::vector<LearnedValue> kValues = {
      {names::kAccuracy, "Accuracy on held-out samples"},
      {"held_out_loss", "Loss on held-out samples"}};
  return kValues;
}

std::string learning_slug(const LearnedValue& value) {
  return std::string("learning-") +
         (value.metric == learned_values().front().metric ? "accuracy" : "loss");
}

std::vector<std::string> learning_definitions(const ReportInput& input,
                                              const Group& group,
                                              const LearnedValue& value) {
  std::vector<Series> all = curves_of(input, group, value);
  if (x_values_of(all).size() < 2) {
    return {};
  }
  label_series(all);
  const auto pieces = split_evenly(all, kMostSeries);
  std::vector<std::string> figures;
  figures.reserve(pieces.size());
  for (const std::vector<Series>& piece : pieces) {
    figures.push_back(figure_title(group,
                                   fmt::format("{}: {}", value.heading, range_of(piece)),
                                   figures.size(),
                                   pieces.size()) +
                      "x_label = 'epoch'\ny_label = " + gnuplot_string(in_words(value.metric)) +
                      "\ngoals = " + gnuplot_string(goals_of(input, value)) + "\n" +
                      series_definitions(piece) + value_tics(all, /*is_log=*/false));
  }
  return figures;
}

std::string learning_text(const ReportInput& input, const Group& group, const LearnedValue& value) {
  constexpr std::size_t most = 4;
  std::vector<std::string> ends;
  bool has_intervals = false;
  for (const Series& series : curves_of(input, group, value)) {
    const Point& last = series.points.back();
    ends.push_back(fmt::format(
        "{} ({})", format_interval({.value = last.y, .lo = last.lo, .hi = last.hi}), series.name));
    has_intervals |= last.lo < last.hi;
  }
  if (ends.size() > most) {
    ends.resize(most);
    ends.emplace_back("and more");
  }
  return fmt::format("{} after each epoch{}; at the end {}",
                     value.heading,
                     has_intervals ? ", with intervals" : "",
                     join(ends, ", "));
}

}  // namespace scalestudy::report

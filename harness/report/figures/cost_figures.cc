#include "harness/report/figures/cost_figures.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// What a rate in samples a second is as hours of a million samples.
Measure hours_of(const EstimateRow& throughput) {
  const auto hours = [](std::optional<double> rate) {
    return rate && *rate > 0.0 ? std::optional(1e6 / *rate / kSecondsAnHour) : std::nullopt;
  };
  return {hours(throughput.value), hours(throughput.hi), hours(throughput.lo)};
}

using Ends = std::pair<double, double>;

// The smallest and the largest number above 0 that the points have of the measure.
Ends ends_of(const std::vector<CostPoint>& points, Measure CostPoint::*measure) {
  std::vector<double> ends;
  for (const CostPoint& point : points) {
    const Measure& at = point.*measure;
    ends.insert(ends.end(), {*at.value, at.lo.value_or(*at.value), at.hi.value_or(*at.value)});
  }
  std::erase_if(ends, [](double end) { return end <= 0.0; });
  const auto [least, most] = std::ranges::minmax(ends);
  return {least, most};
}

// The ends of the bar of a measure, as data. Both axes are logarithmic: an interval that reaches 0,
// or has no upper end, ends outside of all others.
std::string bar_of(const Measure& measure, const Ends& all) {
  const bool has_interval = measure.lo || measure.hi;
  const double lo = measure.lo.value_or(has_interval ? 0.0 : *measure.value);
  return fmt::format("{} {}",
                     lo > 0.0 ? lo : all.first / 2.0,
                     measure.hi.value_or(has_interval ? 2.0 * all.second : *measure.value));
}

// x, y, the ends of x and those of y.
// - all: what the axes show.
std::string data_block(const std::string& name,
                       const std::vector<CostPoint>& points,
                       const std::vector<CostPoint>& all) {
  const Ends hours = ends_of(all, &CostPoint::hours);
  const Ends costs = ends_of(all, &CostPoint::cost);
  std::string text = name + " << EOD\n";
  for (const CostPoint& point : points) {
    text += fmt::format("{} {} {} {}\n",
                        *point.hours.value,
                        *point.cost.value,
                        bar_of(point.hours, hours),
                        bar_of(point.cost, costs));
  }
  return text + "EOD\n";
}

// The definition of the tics of an axis, on which the points have that measure.
std::string tics(char axis, const std::vector<CostPoint>& points, Measure CostPoint::*measure) {
  const auto [least, most] = ends_of(points, measure);
  return log_tics(axis, least, most, round_numbers());
}

// What the legend says for the points of the front.
std::vector<std::string> front_names(const ReportInput& input,
                                     const std::vector<CostPoint>& points,
                                     const std::vector<CostPoint>& front) {
  std::vector<std::string> all;
  for (const CostPoint& point : points) {
    all.push_back(short_name(input, *point.cell));
  }
  all = legend_names(all);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (names.size() < kMostSeries && names.size() < front.size() &&
        points[i].cell == front[names.size()].cell) {
      names.push_back(gnuplot_string(all[i]));
    }
  }
  return names;
}

}  // namespace

std::vector<CostPoint> cost_points(const ReportInput& input, const Group& group) {
  std::vector<CostPoint> points;
  for (const CellRow* cell : cells_with(input, group, "cost_per_million_samples")) {
    const EstimateRow* rate = input.estimate(cell->id, names::kThroughput);
    const Measure cost = measure_of(input.estimate(cell->id, "cost_per_million_samples"));
    if (rate == nullptr || !input.has_claim(*cell)) {
      continue;
    }
    const Measure hours = hours_of(*rate);
    if (hours.value && cost.value && *cost.value > 0.0) {
      points.push_back({cell, hours, cost});
    }
  }
  std::ranges::stable_sort(points, {}, [](const CostPoint& point) { return *point.hours.value; });
  return points;
}

std::vector<CostPoint> cost_front(const std::vector<CostPoint>& points) {
  std::vector<CostPoint> front;
  for (const CostPoint& point : points) {
    const auto is_beaten_by = [&](const CostPoint& other) {
      return *other.hours.value <= *point.hours.value && *other.cost.value <= *point.cost.value &&
             (*other.hours.value < *point.hours.value || *other.cost.value < *point.cost.value);
    };
    if (std::ranges::none_of(points, is_beaten_by)) {
      front.push_back(point);
    }
  }
  return front;
}

std::vector<std::string> cost_definitions(const ReportInput& input, const Group& group) {
  constexpr std::size_t least = 3;
  const std::vector<CostPoint> points = cost_points(input, group);
  if (points.size() < least) {
    return {};
  }
  const std::vector<CostPoint> front = cost_front(points);
  const std::vector<std::string> names = front_names(input, points, front);
  return {figure_title(
              group,
              fmt::format(
                  "Cost against time: {} of {} cells beaten by none", front.size(), points.size()),
              0,
              1) +
          "x_label = 'hours for a million samples'\n" +
          "y_label = " + gnuplot_string(input.declared.cost->currency + " for a million samples") +
          "\n" + tics('x', points, &CostPoint::hours) + tics('y', points, &CostPoint::cost) +
          data_block("$data", points, points) + data_block("$front", front, points) +
          fmt::format("front_count = {}\n", names.size()) + gnuplot_array("front_name", names)};
}

}  // namespace scalestudy::report

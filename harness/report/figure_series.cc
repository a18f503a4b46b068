#include "harness/report/figure_series.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/report/gnuplot.h"

namespace scalestudy::report {

Series& series_named(std::vector<Series>& all, const std::string& name, const CellRow* cell) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
  return found != all.end() ? *found : all.emplace_back(Series{name, cell, {}});
}

std::string series_definitions(const std::vector<Series>& all) {
  std::string data = "$data << SCALESTUDY_END\n";
  std::vector<std::string> names;
  for (const Series& series : all) {
    names.push_back(gnuplot_string(series.name));
    for (const Point& point : series.points) {
      data += fmt::format("{} {} {} {}\n", point.x, point.y, point.lo, point.hi);
    }
    data += "\n\n";
  }
  data += "SCALESTUDY_END\n";
  return data + fmt::format("series_count = {}\n", all.size()) +
         gnuplot_array("series_name", names);
}

std::string mark_of(const CellRow& cell) {
  return cell.oversubscribed ? " †" : "";
}

std::set<double> places_of(const std::vector<Series>& all) {
  std::set<double> values;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      values.insert(point.x);
    }
  }
  return values;
}

std::string value_tics(const std::vector<Series>& all, const std::set<double>& marked) {
  const std::set<double> values = places_of(all);
  std::string text = "set xtics (";
  for (const double value : values) {
    text += (text.ends_with('(') ? "" : ", ") +
            fmt::format(
                "'{}{}' {}", format_axis_value(value), marked.contains(value) ? " †" : "", value);
  }
  return text + fmt::format(")\nx_least = {}\nx_most = {}\n", *values.begin(), *values.rbegin());
}

std::string figure_title(const Group& group,
                         const std::string& what,
                         std::size_t piece,
                         std::size_t pieces) {
  std::string text = group.label.empty() ? what : what + ", " + group.label;
  text += pieces > 1 ? fmt::format(" ({} of {})", piece + 1, pieces) : "";
  return "title_text = " + gnuplot_string(text) + "\n";
}

void sort_points(std::vector<Series>& all) {
  for (Series& series : all) {
    std::sort(series.points.begin(), series.points.end(), [](const Point& a, const Point& b) {
      return a.x < b.x;
    });
  }
}

}  // namespace scalestudy::report

// Series of points with intervals, as the definitions of a gnuplot script.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The most series of one figure: beyond it, colours and marks repeat.
constexpr std::size_t kMostSeries = 8;

// A point of a figure, with the interval of its y value.
struct Point {
  double x = 0.0;
  double y = 0.0;
  double lo = 0.0;
  double hi = 0.0;
};

// Characters of a title, which is as wide as the figure.
constexpr std::size_t kLongestTitle = 68;

// Points under one name in the legend.
struct Series {
  std::string name;
  const CellRow* cell = nullptr;  // the cell of the first point
  std::vector<Point> points;
  std::string label{};  // what a legend says for the name; the name itself if empty
};

// The point of a row that has a value; without an interval its bars have no length.
template <typename Row>
Point make_point(double x, const Row& row) {
  return {x, *row.value, row.lo.value_or(*row.value), row.hi.value_or(*row.value)};
}

// The series of that name, added at the end with `cell` as its first when there is none.
Series& series_named(std::vector<Series>& all, const std::string& name, const CellRow* cell);

// The definition of a data block: a line a point (x, y, lo, hi), two empty lines between series.
std::string data_definition(const std::string& name, const std::vector<Series>& all);

// For a logarithmic y axis: intervals that reach 0 end below everything else, at half of the
// smallest value above 0.
void clip_at_edge(std::vector<Series>& all);

// From the smallest to the largest value of all points, for titles: "0.61 to 1.48".
std::string range_of(const std::vector<Series>& all);

// Definitions of the series for a script: the block $data, series_count, series_name[], and where
// the series end, end_x[] and end_y[]. has_labels (has_log_labels for a logarithmic axis) says
// whether each name fits beside the end of its series.
std::string series_definitions(const std::vector<Series>& all);

// The items in as few pieces as hold at most `most` items each, of nearly equal sizes.
template <typename Item>
std::vector<std::vector<Item>> split_evenly(const std::vector<Item>& items, std::size_t most) {
  const std::size_t count = (items.size() + most - 1) / most;
  std::vector<std::vector<Item>> pieces(count);
  for (std::size_t i = 0; i < items.size(); ++i) {
    pieces[i * count / items.size()].push_back(items[i]);
  }
  return pieces;
}

// Consecutive items in pieces in which nothing is too small to be seen beside its neighbours: a new
// piece starts where sizes within one would differ by more than a factor of 30.
// - sizes_of: returns the smallest and the largest size of an item, above 0.
template <typename Item, typename SizesOf>
std::vector<std::vector<Item>> comparable_pieces(const std::vector<Item>& items,
                                                 const SizesOf& sizes_of) {
  constexpr double widest = 30.0;
  std::vector<std::vector<Item>> pieces;
  double least = 0.0;
  double largest = 0.0;
  for (const Item& item : items) {
    const auto [from, to] = sizes_of(item);
    if (pieces.empty() || std::max(largest, to) > widest * std::min(least, from)) {
      pieces.emplace_back();
      least = from;
      largest = to;
    }
    least = std::min(least, from);
    largest = std::max(largest, to);
    pieces.back().push_back(item);
  }
  return pieces;
}

// The mark that follows the names of oversubscribed cells, which make no claim about performance,
// as in the tables: " †"; "" for other cells.
std::string claim_mark(const CellRow& cell);

// The distinct x values of all points.
std::set<double> x_values_of(const std::vector<Series>& all);

// Names short enough for a legend. If one is too long, the parts that all share are left out, then
// the words before texts: "bf16" for "precision bf16". Words before numbers go only if names would
// be alike where they are cut. Names that differ stay different.
std::vector<std::string> legend_names(const std::vector<std::string>& names);

// Sets the labels by legend_names(). The series of all figures of a kind get theirs together: what
// differs between two figures only is then in both.
void label_series(std::vector<Series>& all);

// One of the figures in which a group is drawn.
struct GroupFigure {
  Group shown;  // with only those of its cells that the figure shows
  std::string definitions;
};

// The group with only the cells of these series.
// - names: what the series of each cell is called, in the order of the group's cells.
Group group_of(const Group& whole,
               const std::vector<Series>& series,
               const std::vector<std::string>& names);

// The definition of title_text: `what`, the group's label and, of several figures, which one it is.
// - piece: counts from 0.
std::string figure_title(const Group& group,
                         const std::string& what,
                         std::size_t piece,
                         std::size_t pieces);

// Sorts the points of every series by increasing x.
void sort_points(std::vector<Series>& all);

}  // namespace scalestudy::report

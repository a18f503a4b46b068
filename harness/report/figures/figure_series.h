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

constexpr std::size_t kMostSeries = 8;  // of one figure: beyond this, colours and marks repeat

struct Point {
  double x = 0.0;
  double y = 0.0;
  double lo = 0.0;
  double hi = 0.0;
};

struct Series {
  std::string name;
  const CellRow* cell = nullptr;  // its first
  std::vector<Point> points;
};

// A value without an interval is drawn as a point with bars of no length.
template <typename Row>
Point make_point(double x, const Row& row) {
  return {x, *row.value, row.lo.value_or(*row.value), row.hi.value_or(*row.value)};
}

// The series of that name, added at the end when there is none; `cell` is its first then.
Series& series_named(std::vector<Series>& all, const std::string& name, const CellRow* cell);

// The block $data, series_count, series_name[]; end_x[] and end_y[], and has_labels
// (has_log_labels, on a logarithmic axis): whether each name can stand at its series' end.
std::string series_definitions(const std::vector<Series>& all);

// In as few pieces as hold at most `most` each, of nearly equal sizes.
template <typename Item>
std::vector<std::vector<Item>> split_evenly(const std::vector<Item>& items, std::size_t most) {
  const std::size_t count = (items.size() + most - 1) / most;
  std::vector<std::vector<Item>> pieces(count);
  for (std::size_t i = 0; i < items.size(); ++i) {
    pieces[i * count / items.size()].push_back(items[i]);
  }
  return pieces;
}

// Consecutive items in pieces, so that nothing is too small to be seen beside its neighbours: a new
// piece starts where the sizes of one would differ by more than a factor of 30.
//   sizes_of  the smallest and the largest size of an item, above 0.
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

// Names of cells that make no claim about performance are marked as in the tables.
std::string claim_mark(const CellRow& cell);

// Distinct x of all points.
std::set<double> x_values_of(const std::vector<Series>& all);

// Tics at the values that were tested, and nowhere else, with x_least and x_most; `marked` ones
// carry the mark.
std::string value_tics(const std::vector<Series>& all, const std::set<double>& marked = {});

// title_text of one of `pieces` figures.
std::string figure_title(const Group& group,
                         const std::string& what,
                         std::size_t piece,
                         std::size_t pieces);

// By increasing x, in every series.
void sort_points(std::vector<Series>& all);

}  // namespace scalestudy::report

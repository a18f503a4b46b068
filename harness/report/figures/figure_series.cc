#include "harness/report/figures/figure_series.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/report/figures/gnuplot.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {

Series& series_named(std::vector<Series>& all, const std::string& name, const CellRow* cell) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
  return found != all.end() ? *found : all.emplace_back(Series{name, cell, {}});
}

namespace {

constexpr std::size_t kLongestLabel = 22;  // characters beside a figure
constexpr std::size_t kLongestName = 60;   // characters of a legend, as of any gnuplot_string()

const std::string& label_of(const Series& series) {
  return series.label.empty() ? series.name : series.label;
}

bool all_fit(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const auto& name) { return name.size() <= kLongestName; });
}

std::vector<std::string> parts_of(const std::string& name) {
  const std::string comma = ", ";
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = name.find(comma); at != std::string::npos; at = name.find(comma, from)) {
    parts.push_back(name.substr(from, at - from));
    from = at + comma.size();
  }
  parts.push_back(name.substr(from));
  return parts;
}

// "bf16" of "precision bf16" or "precision=bf16"; numbers keep their words, as in "factor 0.9" and
// "2 devices".
std::string without_key(const std::string& part) {
  const std::size_t key_end = part.find_first_of(" =");
  const auto has_letter = [&](std::size_t at) {
    return at < part.size() && std::isalpha(static_cast<unsigned char>(part[at])) != 0;
  };
  return key_end != std::string::npos && has_letter(0) && has_letter(key_end + 1)
             ? part.substr(key_end + 1)
             : part;
}

std::string value_alone(const std::string& part) {
  return part.substr(part.find('=') + 1);
}

std::size_t count_distinct(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size();
}

// The names with each part as `change` returns it, without parts that become empty; a name of which
// nothing is left stays, and so do all of them if two would be alike.
template <typename Change>
std::vector<std::string> with_parts(const std::vector<std::string>& names, const Change& change) {
  std::vector<std::string> changed;
  for (const std::string& name : names) {
    std::vector<std::string> parts = parts_of(name);
    std::ranges::transform(parts, parts.begin(), change);
    std::erase(parts, "");
    changed.push_back(parts.empty() ? name : join(parts, ", "));
  }
  return count_distinct(changed) == count_distinct(names) ? changed : names;
}

// The point with the largest x.
const Point& end_of(const Series& series) {
  return *std::ranges::max_element(series.points, {}, &Point::x);
}

// The smallest distance between ends of series, as a part of the range of all values with their
// intervals; on a logarithmic axis where is_log, else from 0. 0 where a name is too long to stand
// beside an end, or an end has no place, or is among the points of others.
double end_gap(const std::vector<Series>& all, bool is_log) {
  std::vector<double> ends;
  double least = is_log ? std::numeric_limits<double>::infinity() : 0.0;
  double most = -std::numeric_limits<double>::infinity();
  const auto place = [&](double y) { return is_log ? std::log(y) : y; };
  const std::set<double> places = x_values_of(all);
  for (const Series& series : all) {
    if (series.points.empty() || label_of(series).empty() ||
        label_of(series).size() > kLongestLabel || end_of(series).x < *places.rbegin()) {
      return 0.0;
    }
    for (const Point& point : series.points) {
      if (is_log && point.lo <= 0.0) {
        return 0.0;
      }
      least = std::min(least, place(point.lo));
      most = std::max(most, place(point.hi));
    }
    ends.push_back(place(end_of(series).y));
  }
  std::ranges::sort(ends);
  double gap = most - least;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    gap = std::min(gap, ends[i] - ends[i - 1]);
  }
  return most > least ? gap / (most - least) : 0.0;
}

// Where a series ends, and whether its name can stand there.
std::string end_definitions(const std::vector<Series>& all) {
  constexpr double least_gap = 0.07;  // of the height: a line of text
  std::vector<std::string> x;
  std::vector<std::string> y;
  for (const Series& series : all) {
    const bool has_end = !series.points.empty();
    x.push_back(has_end ? fmt::format("{}", end_of(series).x) : "NaN");
    y.push_back(has_end ? fmt::format("{}", end_of(series).y) : "NaN");
  }
  return gnuplot_array("end_x", x) + gnuplot_array("end_y", y) +
         fmt::format("has_labels = {}\nhas_log_labels = {}\n",
                     end_gap(all, false) >= least_gap ? 1 : 0,
                     end_gap(all, true) >= least_gap ? 1 : 0);
}

}  // namespace

std::string data_definition(const std::string& name, const std::vector<Series>& all) {
  std::string data = name + " << SCALESTUDY_END\n";
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      data += fmt::format("{} {} {} {}\n", point.x, point.y, point.lo, point.hi);
    }
    // gnuplot counts no series without a line: those after it would get other names and colours.
    data += series.points.empty() ? "NaN NaN NaN NaN\n" : "";
    data += "\n\n";
  }
  return data + "SCALESTUDY_END\n";
}

void clip_at_edge(std::vector<Series>& all) {
  double least = std::numeric_limits<double>::infinity();
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      for (const double value : {point.y, point.lo}) {
        least = value > 0.0 ? std::min(least, value) : least;
      }
    }
  }
  for (Series& series : all) {
    for (Point& point : series.points) {
      point.lo = point.lo > 0.0 ? point.lo : least / 2.0;
    }
  }
}

std::string range_of(const std::vector<Series>& all) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  const std::string from = format_plain(least);
  const std::string to = format_plain(most);
  return from == to ? to : from + " to " + to;
}

std::string series_definitions(const std::vector<Series>& all) {
  std::vector<std::string> names;
  for (const Series& series : all) {
    names.push_back(gnuplot_string(label_of(series)));
  }
  return data_definition("$data", all) + fmt::format("series_count = {}\n", all.size()) +
         gnuplot_array("series_name", names) + end_definitions(all);
}

std::vector<std::string> legend_names(const std::vector<std::string>& names) {
  if (all_fit(names)) {
    return names;
  }
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) {
    const std::vector<std::string> parts = parts_of(name);
    for (const std::string& part : std::set<std::string>(parts.begin(), parts.end())) {
      ++counts[part];
    }
  }
  const auto is_shared = [&](const std::string& part) { return counts.at(part) == names.size(); };
  // Where nothing else is left of a name, all keep its last part.
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const std::vector<std::string> parts = parts_of(name);
    if (std::ranges::all_of(parts, is_shared)) {
      kept.insert(parts.back());
    }
  }
  const std::vector<std::string> apart = with_parts(names, [&](const std::string& part) {
    return is_shared(part) && !kept.contains(part) ? std::string() : part;
  });
  const std::vector<std::string> texts = all_fit(apart) ? apart : with_parts(apart, without_key);
  std::vector<std::string> cut = texts;
  for (std::string& name : cut) {
    name.resize(std::min(name.size(), kLongestName - 1));
  }
  return count_distinct(cut) == count_distinct(texts) ? texts : with_parts(texts, value_alone);
}

void label_series(std::vector<Series>& all) {
  std::vector<std::string> names;
  for (const Series& series : all) {
    names.push_back(series.name);
  }
  names = legend_names(names);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].label = names[i];
  }
}

std::string claim_mark(const CellRow& cell) {
  return cell.oversubscribed ? " †" : "";
}

std::set<double> x_values_of(const std::vector<Series>& all) {
  std::set<double> values;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      values.insert(point.x);
    }
  }
  return values;
}

Group group_of(const Group& whole,
               const std::vector<Series>& series,
               const std::vector<std::string>& names) {
  Group shown = whole;
  shown.cells.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(series, names[i], &Series::name) != series.end()) {
      shown.cells.push_back(whole.cells[i]);
    }
  }
  return shown;
}

std::string figure_title(const Group& group,
                         const std::string& what,
                         std::size_t piece,
                         std::size_t pieces) {
  std::string text = group.label.empty() ? what : what + ", " + group.label;
  text += pieces > 1 ? fmt::format(" ({} of {})", piece + 1, pieces) : "";
  return "title_text = " + gnuplot_string(text, kLongestTitle) + "\n";
}

void sort_points(std::vector<Series>& all) {
  for (Series& series : all) {
    std::sort(series.points.begin(), series.points.end(), [](const Point& a, const Point& b) {
      return a.x < b.x;
    });
  }
}

}  // namespace scalestudy::report

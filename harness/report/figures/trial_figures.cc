#include "harness/report/figures/trial_figures.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Points = std::vector<std::pair<std::int64_t, double>>;

constexpr std::size_t kMostDots = 5000;

// One point of each field of a grid as fine as a dot is wide, where there are more than kMostDots.
Points uncovered(const Points& points) {
  if (points.size() <= kMostDots) {
    return points;
  }
  constexpr double columns = 150.0;
  constexpr double rows = 80.0;
  const auto [first, last] = std::ranges::minmax(points, {}, &Points::value_type::first);
  const auto [low, high] = std::ranges::minmax(points, {}, &Points::value_type::second);
  const double column = static_cast<double>(last.first - first.first) / columns;
  const double row = (high.second - low.second) / rows;
  std::set<std::pair<std::int64_t, std::int64_t>> fields;
  Points kept;
  for (const auto& [block, ratio] : points) {
    const auto x = static_cast<double>(block - first.first) / std::max(column, 1.0);
    const double y = row > 0.0 ? (ratio - low.second) / row : 0.0;
    if (fields.emplace(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)).second) {
      kept.emplace_back(block, ratio);
    }
  }
  return kept;
}

// An empty block of data is one that gnuplot warns of: a point outside of the figure stands for it.
std::string data_block(const std::string& name, const Points& points) {
  std::string text = name + " << EOD\n";
  for (const auto& [block, ratio] : points) {
    text += fmt::format("{} {}\n", block, 100.0 * ratio);
  }
  return text + (points.empty() ? "NaN NaN\n" : "") + "EOD\n";
}

}  // namespace

TrialPoints trial_points(const ReportInput& input, const Group& group) {
  TrialPoints points;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* mean = input.estimate(cell->id, names::kStepTime);
    if (mean == nullptr || !mean->value || *mean->value <= 0.0) {
      continue;
    }
    for (const std::int64_t id : input.used_trials(cell->id)) {
      const TrialRow* trial = input.trial(id);
      const auto time = input.step_times.find(id);
      if (trial != nullptr && time != input.step_times.end()) {
        (input.index.flagged_trials.contains(id) ? points.flagged : points.plain)
            .emplace_back(trial->block + 1, time->second.mean_s / *mean->value);
      }
    }
  }
  const auto block = [](const auto& point) { return point.first; };
  std::ranges::stable_sort(points.plain, {}, block);
  std::ranges::stable_sort(points.flagged, {}, block);
  return points;
}

std::string every_trial(const ReportInput& input) {
  return input.declared.search ? "Every trial on fresh blocks" : "Every trial";
}

bool has_covered_dots(const TrialPoints& points) {
  return std::max(points.plain.size(), points.flagged.size()) > kMostDots;
}

namespace {

// ": 91 % to 115 % of its cell's mean"
std::string spread_of(const TrialPoints& points) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const auto* some : {&points.plain, &points.flagged}) {
    for (const auto& [block, ratio] : *some) {
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
  }
  return fmt::format(
      ": {} % to {} % of its cell's mean", format_plain(100.0 * least), format_plain(100.0 * most));
}

}  // namespace

std::vector<std::string> trial_definitions(const ReportInput& input, const Group& group) {
  const TrialPoints points = trial_points(input, group);
  std::set<std::int64_t> blocks;
  for (const auto* some : {&points.plain, &points.flagged}) {
    for (const auto& [block, ratio] : *some) {
      blocks.insert(block);
    }
  }
  if (blocks.size() < 2) {
    return {};
  }
  return {"title_text = " +
          gnuplot_string((has_covered_dots(points) ? "Trials, without dots that others cover"
                                                   : every_trial(input) + spread_of(points)) +
                             (group.label.empty() ? std::string() : ", " + group.label),
                         kLongestTitle) +
          "\ny_label = 'step time (% of its cell''s mean)'\n" +
          fmt::format("x_least = {}\nx_most = {}\nhas_flagged = {}\n",
                      *blocks.begin(),
                      *blocks.rbegin(),
                      points.flagged.empty() ? 0 : 1) +
          data_block("$data", uncovered(points.plain)) +
          data_block("$flagged", uncovered(points.flagged))};
}

}  // namespace scalestudy::report

#include "harness/report/trial_figures.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/report/figure_series.h"
#include "harness/report/gnuplot.h"

namespace scalestudy::report {
namespace {

// An empty block of data is one that gnuplot warns of: a point outside of the figure stands for it.
std::string data_block(const std::string& name,
                       const std::vector<std::pair<std::int64_t, double>>& points) {
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
    const EstimateRow* mean = input.estimate(cell->id, "step_time_s");
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
          gnuplot_string("Every trial" + (group.label.empty() ? "" : ": " + group.label)) +
          "\ny_label = 'step time (% of its cell''s mean)'\n" +
          fmt::format("x_least = {}\nx_most = {}\nhas_flagged = {}\n",
                      *blocks.begin(),
                      *blocks.rbegin(),
                      points.flagged.empty() ? 0 : 1) +
          data_block("$data", points.plain) + data_block("$flagged", points.flagged)};
}

}  // namespace scalestudy::report

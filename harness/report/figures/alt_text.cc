#include "harness/report/figures/alt_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/report/answer/message_answers.h"
#include "harness/report/figures/collective_figures.h"
#include "harness/report/figures/cost_figures.h"
#include "harness/report/figures/trial_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/phases.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The one of the cells that has most of the metric; nullptr of none.
const CellRow* most_of(const ReportInput& input,
                       const std::vector<const CellRow*>& cells,
                       const std::string& metric) {
  const CellRow* best = nullptr;
  for (const CellRow* cell : cells) {
    const auto value = [&](const CellRow* one) {
      return input.estimate(one->id, metric)->value.value_or(0.0);
    };
    best = best == nullptr || value(cell) > value(best) ? cell : best;
  }
  return best;
}

// The cells of the group that have the metric and make a claim.
std::vector<const CellRow*> claiming(const ReportInput& input,
                                     const Group& group,
                                     const std::string& metric) {
  std::vector<const CellRow*> cells = cells_with(input, group, metric);
  std::erase_if(cells, [&](const CellRow* cell) { return !input.has_claim(*cell); });
  return cells;
}

// Whether no cell of the same model or operation has more of it, in another figure.
bool is_most(const ReportInput& input,
             const Group& shown,
             const std::string& metric,
             const CellRow& best) {
  return std::ranges::all_of(group_cells(input), [&](const Group& group) {
    const CellRow* most = group.label == shown.label
                              ? most_of(input, claiming(input, group, metric), metric)
                              : nullptr;
    return most == nullptr ||
           *input.estimate(most->id, metric)->value <= *input.estimate(best.id, metric)->value;
  });
}

}  // namespace

std::string rate_text(const ReportInput& input, const Group& group, const Metric& rate) {
  const std::string metric(rate.name);
  const std::vector<const CellRow*> cells = claiming(input, group, metric);
  const CellRow* best = most_of(input, cells, metric);
  const bool has_intervals = std::ranges::any_of(
      cells, [&](const CellRow* cell) { return input.estimate(cell->id, metric)->lo.has_value(); });
  const bool is_highest = best == nullptr || is_most(input, group, metric, *best);
  return fmt::format("{} against devices, with {}the line of ideal scaling",
                     rate.heading,
                     has_intervals ? "intervals and " : "") +
         (best == nullptr
              ? ""
              : fmt::format(": highest{} {} {}, {}",
                            is_highest ? "" : " in this figure",
                            format_interval(measure_of(input.estimate(best->id, metric))),
                            rate.unit,
                            short_name(input, *best)));
}

std::string breakdown_text(const ReportInput& input, const Group& group) {
  const std::string text = "Mean step time as a stack of its phases";
  const CellRow* longest =
      most_of(input, cells_with(input, group, names::kStepTime), names::kStepTime);
  if (longest == nullptr) {
    return text;
  }
  const Phase* largest = nullptr;
  double largest_s = 0.0;
  const std::vector<Phase> phases = measured_phases(input, group);
  for (const Phase& phase : phases) {
    const EstimateRow* row = input.estimate(longest->id, phase.metric);
    if (row != nullptr && row->value.value_or(0.0) > largest_s) {
      largest = &phase;
      largest_s = *row->value;
    }
  }
  return largest == nullptr ? text
                            : fmt::format("{}: in the longest, {}, {} is the largest",
                                          text,
                                          short_name(input, *longest),
                                          largest->name);
}

std::string message_text(const ReportInput& input, const Group& group) {
  const CellRow* best =
      most_of(input, claiming(input, group, names::kBusBandwidth), names::kBusBandwidth);
  return fmt::format(
      "Bus bandwidth, or time of an operation, against the size of the message{}{}",
      best == nullptr
          ? ""
          : fmt::format(": highest {} GB/s, {}",
                        bandwidth_text(measure_of(input.estimate(best->id, names::kBusBandwidth))),
                        short_name(input, *best)),
      fitted_lines_text(input, group).empty() ? "" : "; dashed lines are fitted");
}

std::string cost_text(const ReportInput& input, const Group& group) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> names;
  for (const CostPoint& point : cost_front(cost_points(input, group))) {
    names.push_back(short_name(input, *point.cell));
  }
  return "Cost against time of a million samples: by their estimates no cell is both faster and "
         "cheaper than " +
         (names.size() > most_named ? fmt::format("any of {} cells", names.size())
                                    : join(names, "; "));
}

std::string trials_text(const ReportInput& input, const Group& group) {
  const TrialPoints points = trial_points(input, group);
  const bool has_drift = std::ranges::any_of(input.results.threats, [](const ThreatRow& threat) {
    return threat.kind == ThreatKind::kDrift && threat.severity == Severity::kWarning;
  });
  return fmt::format(
      "{} as a dot, its step time over its cell's mean against its block: {}{}, {} marked as "
      "{}; {}",
      every_trial(input),
      format_count(static_cast<std::int64_t>(points.plain.size() + points.flagged.size()), "trial"),
      has_covered_dots(points) ? " (dots that others cover are left out)" : "",
      points.flagged.size(),
      points.flagged.size() == 1 ? "an outlier" : "outliers",
      has_drift ? "drift is warned of" : "no drift is warned of");
}

}  // namespace scalestudy::report

#include "harness/analysis/compare/survivors.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/cells/rates.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"

namespace scalestudy {

std::string survivors_note(const CellObservation& cell) {
  const std::int64_t failed = failed_count(cell);
  const auto ok = static_cast<std::int64_t>(cell.trials.size());
  if (!has_survivors_only(cell)) {
    return "";
  }
  const bool ran_out = cell.failures.size() == cell.failures.count("oom");  // and nothing else
  const std::string end =
      " of " + describe_cell(cell.row) + (ran_out ? " ran out of memory" : " failed");
  if (ok == 0) {
    return (failed == 1 ? "the only attempt" : "all " + format_count(failed, "attempt")) + end;
  }
  return "survivors only: " + std::to_string(failed) + " of " +
         format_count(failed + ok, "attempt") + end;
}

std::string chosen_note(const CellObservation& cell) {
  const ChosenTrials& chosen = cell.chosen;
  return chosen.trials == 0
             ? ""
             : fmt::format("{} of {} of {} {} only with a later attempt, up to attempt {}",
                           chosen.trials,
                           format_count(static_cast<std::int64_t>(cell.trials.size()), "trial"),
                           describe_cell(cell.row),
                           chosen.trials == 1 ? "counts" : "count",
                           chosen.launches);
}

bool is_longer_than_step(const EstimateRow& row) {
  constexpr double least = 1.02;
  return step_shares().contains(row.metric) && row.unit == "1" &&
         row.lo.value_or(row.value.value_or(0.0)) > least;
}

std::string impossible_note(const CellObservation& cell,
                            const std::string& metric,
                            const EstimateRow* row,
                            const Study& study) {
  if (row != nullptr && is_longer_than_step(*row)) {
    return "a part of the step is longer than the step";
  }
  const std::optional<Rate> rate = asked_rate(cell, metric, study);
  const bool is_of_cost =
      find_request(study.analysis, metric) == nullptr &&
      (metric.starts_with("cost_per_million_") || metric.starts_with("training_"));
  if (metric != kStepTime && !(rate && rate->time == kStepTime) && !is_of_cost) {
    return "";
  }
  const auto impossible = std::ranges::count_if(cell.trials, [&](const TrialObservation& trial) {
    return has_impossible_times(trial, study);
  });
  return impossible == 0
             ? ""
             : fmt::format("the measured steps of {} of {} add up to more than the trial took",
                           impossible,
                           format_count(std::ssize(cell.trials), "trial"));
}

bool is_mostly_chosen(const CellObservation& cell) {
  const std::int64_t replaced = cell.chosen.failures;
  return 10 * replaced > replaced + static_cast<std::int64_t>(cell.trials.size());
}

}  // namespace scalestudy

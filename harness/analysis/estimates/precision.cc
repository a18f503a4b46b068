#include "harness/analysis/estimates/precision.h"

#include <algorithm>

#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "stats/stopping.h"

namespace scalestudy {
namespace {

std::optional<std::int64_t> count_of(const std::optional<std::size_t>& count) {
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

struct MeasuredStop {
  const CellObservation* cell = nullptr;
  CellStop stop;
};

std::vector<MeasuredStop> find_stops(const StudyObservation& observation, const Study& study) {
  std::vector<MeasuredStop> stops;
  for (const CellObservation& cell : observation.cells) {
    if (const std::optional<CellStop> stop = find_stop(cell, observation, study)) {
      stops.push_back({&cell, *stop});
    }
  }
  return stops;
}

// "12 trials", "10 to 14 trials": when the cells that met the target first did.
std::string describe_met(const std::vector<MeasuredStop>& stops) {
  std::vector<std::int64_t> counts;
  for (const MeasuredStop& measured : stops) {
    if (measured.stop.achieved.met_at) {
      counts.push_back(*measured.stop.achieved.met_at);
    }
  }
  const auto [least, most] = std::ranges::minmax_element(counts);
  return (*least == *most ? "" : std::to_string(*least) + " to ") + format_count(*most, "trial");
}

// What the cells that did not meet the target came to; the widest is named.
std::string describe_unmet(const std::vector<MeasuredStop>& stops) {
  std::int64_t unmet = 0;
  std::int64_t unfinished = 0;
  const MeasuredStop* widest = nullptr;
  for (const MeasuredStop& measured : stops) {
    const CellStop& stop = measured.stop;
    if (stop.achieved.met_at) {
      continue;
    }
    ++unmet;
    unfinished += stop.reason == RowStatus::kBudget ? 0 : 1;
    if (widest == nullptr || stop.achieved.relative_half_width.value_or(0.0) >
                                 widest->stop.achieved.relative_half_width.value_or(0.0)) {
      widest = &measured;
    }
  }
  if (unmet == 0) {
    return "";
  }
  const std::optional<double> width = widest->stop.achieved.relative_half_width;
  return " " + format_count(unmet, "cell") + " did not" +
         (unfinished > 0 ? " (" + std::to_string(unfinished) + " with trials still to run)"
                         : " within the trials planned") +
         "; the widest is " + describe_cell(widest->cell->row) + ": " +
         (width ? format_plain(100.0 * *width) + " %" : std::string("no interval")) + " after " +
         format_count(static_cast<std::int64_t>(widest->cell->trials.size()), "ok trial") + ".";
}

// By the first look: METHODS.md, Adaptive stopping.
std::string points_lost(int first_look) {
  return first_look >= 10 ? "1 point" : first_look >= 8 ? "1.5 points" : "2.5 points";
}

}  // namespace

TrialPrecision trial_precision(const Study& study, const std::vector<TrialMean>& trials) {
  const auto interval_of = [&](std::size_t count) {
    SessionValues by_session;
    for (std::size_t i = 0; i < count; ++i) {
      by_session[trials[i].session].push_back(trials[i].step_time_s);
    }
    return interval_over_trials(by_session, study.analysis.confidence, stats::Range::kPositive)
        .interval;
  };
  TrialPrecision precision;
  precision.relative_half_width = interval_of(trials.size()).half_width_relative;
  if (!study.trials.until) {
    return precision;
  }
  const stats::StoppingPlan plan{.rel_half_width = *study.trials.until,
                                 .t_min = static_cast<std::size_t>(study.trials.min),
                                 .t_max = static_cast<std::size_t>(study.trials.count),
                                 .level = study.analysis.confidence};
  const stats::Stopping stopping = stats::stopping_rule(trials.size(), interval_of, plan);
  precision.met_at = count_of(stopping.target_met_at);
  precision.stop_at = count_of(stopping.stop_at);
  return precision;
}

std::optional<CellStop> find_stop(const CellObservation& cell,
                                  const StudyObservation& observation,
                                  const Study& study) {
  if (!study.trials.until || cell.row.role != CellRole::kMeasured) {
    return std::nullopt;
  }
  CellStop stop;
  std::vector<TrialMean> trials;
  for (const TrialObservation& trial : cell.trials) {
    if (const auto found = trial.metrics.find(kStepTime); found != trial.metrics.end()) {
      trials.push_back({.session = trial.row.session_id, .step_time_s = found->second.mean});
    }
  }
  stop.achieved = trial_precision(study, trials);
  stop.reason = stop.achieved.met_at && stop.achieved.stop_at        ? RowStatus::kPrecision
                : cell.waiting == 0                                  ? RowStatus::kBudget
                : observation.last_ending == SessionEnding::kMaxTime ? RowStatus::kTime
                                                                     : RowStatus::kUnfinished;
  return stop;
}

std::vector<ThreatRow> adaptive_threats(const StudyObservation& observation, const Study& study) {
  const std::vector<MeasuredStop> stops = find_stops(observation, study);
  if (stops.empty()) {
    return {};
  }
  const auto met = std::ranges::count_if(stops, [](const MeasuredStop& measured) {
    return measured.stop.achieved.met_at.has_value();
  });
  const std::string unmet = describe_unmet(stops);
  return {
      {ThreatKind::kAdaptive,
       unmet.empty() ? Severity::kNote : Severity::kWarning,
       "The number of trials is adaptive, with the target of a relative half-width of at most " +
           format_percent(*study.trials.until) + ": " + std::to_string(met) + " of " +
           format_count(static_cast<std::int64_t>(stops.size()), "cell") + " met it" +
           (met > 0 ? ", first after " + describe_met(stops) : std::string()) + "." + unmet +
           " Stopping when it is met favours calm stretches: intervals cover up to " +
           points_lost(study.trials.min) + " less than they say."}};
}

}  // namespace scalestudy

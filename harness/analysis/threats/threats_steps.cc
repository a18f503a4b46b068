// Threats from what step times cover, and from those that recur.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// A trial that is told of.
struct Told {
  const CellObservation* cell = nullptr;
  const TrialObservation* trial = nullptr;
};

std::vector<Told> find_trials(
    const StudyObservation& observation,
    const std::function<bool(const TrialObservation&, const TrialMetric&)>& is_told) {
  std::vector<Told> told;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto steps = trial.metrics.find(kStepTime);
      if (steps != trial.metrics.end() && is_told(trial, steps->second)) {
        told.push_back({&cell, &trial});
      }
    }
  }
  return told;
}

// "3 of 10 ok trials (first: 2 devices)".
std::string count_told(const StudyObservation& observation, const std::vector<Told>& told) {
  std::int64_t trials = 0;
  for (const CellObservation& cell : observation.cells) {
    trials += std::ssize(cell.trials);
  }
  return fmt::format("{} of {} (first: {})",
                     told.size(),
                     format_count(trials, "ok trial"),
                     describe_cell(told.front().cell->row));
}

// "20.3 ms".
std::string say_time(double time_s) {
  const Scale scale = time_s < 1.0 ? scale_for("s", time_s) : Scale{.unit = "s"};
  return format_plain(time_s * scale.factor) + " " + scale.unit;
}

// A mistake by which all step times of a study are off.
struct Mistake {
  std::string what;
  std::optional<double> (*factor)(const CellRow&);  // absent where the cell cannot have it
};

std::optional<double> more_than_one(std::optional<std::int64_t> count) {
  return count.value_or(1) > 1 ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

const std::array<Mistake, 4>& mistakes() {
  static const std::array<Mistake, 4> kMistakes{{
      {"as between seconds and milliseconds", [](const CellRow&) { return std::optional(1000.0); }},
      {"as between minutes and seconds", [](const CellRow&) { return std::optional(60.0); }},
      {"the number of devices", [](const CellRow& row) { return more_than_one(row.devices); }},
      {"the batch size", [](const CellRow& row) { return more_than_one(row.batch_global); }},
  }};
  return kMistakes;
}

// "1000, as between seconds and milliseconds", of the mistakes that explain all of the trials; the
// number is that of the first trial. "" if none does.
std::string explain(const std::vector<Told>& told,
                    const std::function<bool(const Told&, double factor)>& is_explained) {
  std::vector<std::string> explanations;
  for (const Mistake& mistake : mistakes()) {
    if (std::ranges::all_of(told, [&](const Told& one) {
          const auto factor = mistake.factor(one.cell->row);
          return factor && is_explained(one, *factor);
        })) {
      explanations.push_back(format_axis_value(*mistake.factor(told.front().cell->row)) + ", " +
                             mistake.what);
    }
  }
  return join(explanations, "; or ");
}

// How many times as far apart lines arrive as the step times that they tell; absent if not known.
std::optional<double> arrival_ratio(const TrialObservation& trial) {
  const double step_s = trial.metrics.at(kStepTime).p50;
  return trial.row.arrival_step_s && step_s > 0.0
             ? std::optional(*trial.row.arrival_step_s / step_s)
             : std::nullopt;
}

// Lines arrive a tenth of their distance early or late, and programs leave some work untimed.
bool do_arrivals_agree(const TrialObservation& trial) {
  constexpr double most = 2.0;
  const double ratio = arrival_ratio(trial).value_or(1.0);
  return 1.0 / most < ratio && ratio < most;
}

void add_line_arrival(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  constexpr double tolerance = 1.25;
  const std::vector<Told> told = find_trials(
      observation,
      [](const TrialObservation& trial, const TrialMetric&) { return !do_arrivals_agree(trial); });
  if (told.empty()) {
    return;
  }
  const std::string factor = explain(told, [](const Told& one, double value) {
    const double ratio = *arrival_ratio(*one.trial);
    const double off = std::max(ratio, 1.0 / ratio) / value;
    return 1.0 / tolerance <= off && off <= tolerance;
  });
  const TrialObservation& first = *told.front().trial;
  threats.push_back(
      {ThreatKind::kLineArrival,
       factor.empty() ? Severity::kNote : Severity::kWarning,
       fmt::format("Lines with step times arrive {} apart, but print {}, in {}. The step times of "
                   "the first add up to {} % of its wall time. {}",
                   say_time(*first.row.arrival_step_s),
                   say_time(first.metrics.at(kStepTime).p50),
                   count_told(observation, told),
                   format_plain(100.0 * first.row.steps_share.value_or(0.0)),
                   factor.empty()
                       ? "The program prints another unit than the extract rule of step_time_s "
                         "says, prints one line for several steps, or spends time between steps "
                         "that it does not print."
                       : "The likely factor is " + factor +
                             ". Check unit and per_step of the extract rule of step_time_s.")});
}

void add_uncovered_time(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  constexpr double least_share = 0.1;
  constexpr double plausible_share = 0.5;
  constexpr double most_share = 1.05;      // a clock of the program's own may be off
  constexpr std::int64_t least_steps = 5;  // fewer are a summary that the program prints
  const std::vector<Told> told =
      find_trials(observation, [](const TrialObservation& trial, const TrialMetric& steps) {
        return steps.steps >= least_steps && trial.row.steps_share.value_or(1.0) < least_share &&
               do_arrivals_agree(trial);
      });
  if (told.empty()) {
    return;
  }
  const bool is_right = std::ranges::all_of(
      told, [](const Told& one) { return arrival_ratio(*one.trial).has_value(); });
  const std::string factor = is_right ? "" : explain(told, [](const Told& one, double value) {
    const double share = value * *one.trial->row.steps_share;
    return plausible_share <= share && share <= most_share;
  });
  const TrialRow& first = told.front().trial->row;
  threats.push_back(
      {ThreatKind::kUncoveredTime,
       Severity::kNote,
       fmt::format(
           "Step times add up to {} % of a trial of {} in {}. {}",
           format_plain(100.0 * *first.steps_share),
           say_time(first.wall_s.value_or(0.0)),
           count_told(observation, told),
           is_right ? "Lines arrive as far apart as the step times that they print, so the unit is "
                      "right; the rest of the time is spent outside the steps."
           : factor.empty()
               ? "The rest is the start, the end and what lies between steps, unless the program "
                 "prints another unit than the extract rule of step_time_s says."
               : "They would cover most of it if they were too small by a factor of " + factor +
                     ". Check unit and per_step of the extract rule of step_time_s.")});
}

// "10th".
std::string ordinal(std::size_t number) {
  const std::size_t last = number % 10;
  const bool is_teen = number / 10 % 10 == 1;
  return fmt::format("{}{}",
                     number,
                     is_teen     ? "th"
                     : last == 1 ? "st"
                     : last == 2 ? "nd"
                     : last == 3 ? "rd"
                                 : "th");
}

void add_periodic_steps(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::vector<std::string> cells;
  for (const CellObservation& cell : observation.cells) {
    if (const auto& period = cell.period) {
      cells.push_back(fmt::format(
          "every {} step takes {} times as long (evaluation, checkpoint, logging?): {} % of the "
          "time ({}; {} over {})",
          ordinal(period->steps),
          format_plain(period->factor),
          format_plain(100.0 * period->share),
          describe_cell(cell.row),
          say_p_value(period->p),
          format_count(period->trials, "trial")));
    }
  }
  if (!cells.empty()) {
    std::string list = list_some(cells);
    list.front() = 'E';
    threats.push_back({ThreatKind::kPeriodicSteps,
                       Severity::kNote,
                       list + ". Step times and rates include these steps; the test for a steady "
                              "state leaves them out."});
  }
}

}  // namespace

std::vector<ThreatRow> step_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  if (study.workload == Workload::kCommand && !study.extract.empty()) {
    add_line_arrival(observation, threats);
    add_uncovered_time(observation, threats);
  }
  add_periodic_steps(observation, threats);
  return threats;
}

}  // namespace scalestudy

// Threats from what step times cover, how they are printed, and from those that recur.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/cells/printed_digits.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/mean_interval.h"

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
  return fmt::format("{} of {}{}",
                     told.size(),
                     format_count(trials, "ok trial"),
                     name_first(std::ssize(told), describe_cell(told.front().cell->row)));
}

// "20.3 ms".
std::string say_time(double time_s) {
  const Scale scale = time_s < 1.0 ? scale_for("s", time_s) : Scale{.unit = "s"};
  return format_plain(time_s * scale.factor) + " " + scale.unit;
}

// A number of the trials: "20.3 ms" if all read alike, else "20.3 ms to 1.2 s".
std::string say_range(const std::vector<Told>& told,
                      const std::function<double(const Told&)>& number,
                      const std::function<std::string(double)>& say) {
  const auto [least, most] = std::ranges::minmax_element(told, {}, number);
  return join_range(say(number(*least)), say(number(*most)));
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
  const auto share = [](const Told& one) { return 100.0 * *one.trial->row.steps_share; };
  const auto wall_s = [](const Told& one) { return one.trial->row.wall_s.value_or(0.0); };
  threats.push_back(
      {ThreatKind::kUncoveredTime,
       Severity::kNote,
       fmt::format(
           "Step times add up to {} % of a trial of {} in {}. {}",
           say_range(told, share, format_plain),
           say_range(told, wall_s, say_time),
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

// A cell whose step times are printed in so coarse a unit that they do not average out.
struct Coarse {
  const CellObservation* cell = nullptr;
  double unit_s = 0.0;
  double mean_s = 0.0;
};

// How often each time was printed in all trials; empty if they are too many, or if the step time of
// a trial is that of its window.
std::map<double, std::int64_t> values_of_steps(const CellObservation& cell) {
  std::map<double, std::int64_t> counts;
  for (const TrialObservation& trial : cell.trials) {
    if (trial.steps.values.empty() || trial.definition == StepTimeDefinition::kWindow) {
      return {};
    }
    for (const auto& [value, count] : trial.steps.values) {
      counts[value] += count;
    }
  }
  return counts.size() > kMostStepValues ? std::map<double, std::int64_t>() : counts;
}

// The smallest distance of two printed numbers, if all are multiples of it and nearly all are one
// of two neighbours. Numbers that spread over more of them average out, whatever the unit: with a
// standard deviation of 0.4 units, the mean is off by less than 0.02 units. If there are only a few
// numbers, they may be that far apart by chance: the unit must then also be one of their last
// decimal.
std::optional<double> coarse_unit(const std::map<double, std::int64_t>& counts) {
  constexpr std::int64_t least_steps = 10;
  constexpr double least_share = 0.95;
  constexpr double slack = 1e-6;
  if (counts.size() < 2) {
    return std::nullopt;
  }
  double unit = std::numeric_limits<double>::infinity();
  for (auto one = counts.begin(), next = std::next(one); next != counts.end(); ++one, ++next) {
    unit = std::min(unit, next->first - one->first);
  }
  std::vector<double> values;
  std::int64_t steps = 0;
  std::int64_t most = 0;
  double previous = 0.0;
  std::int64_t of_previous = 0;
  for (const auto& [value, count] : counts) {
    if (std::abs(value / unit - std::round(value / unit)) > slack) {
      return std::nullopt;
    }
    values.push_back(value);
    const bool is_neighbour = value - previous < 1.5 * unit;
    most = std::max(most, count + (is_neighbour ? of_previous : 0));
    steps += count;
    previous = value;
    of_previous = count;
  }
  const bool is_known = steps >= least_steps || unit < 1.5 * last_decimal(values);
  const bool is_coarse =
      is_known && static_cast<double>(most) >= least_share * static_cast<double>(steps);
  return is_coarse ? std::optional(unit) : std::nullopt;
}

// What that unit is worth near the mean, in s, by the first rule that may have read such numbers.
std::optional<double> coarse_unit_s(const CellObservation& cell, const Study& study, double mean) {
  const std::map<double, std::int64_t> stored = values_of_steps(cell);
  for (const PrintedForm& form : printed_forms(study, kStepTime, cell.row)) {
    std::map<double, std::int64_t> printed;
    for (const auto& [value, count] : stored) {
      printed[form.printed(value)] += count;
    }
    if (const std::optional<double> unit = coarse_unit(printed)) {
      return 2.0 * form.stored_change(mean, *unit / 2.0);
    }
  }
  return std::nullopt;
}

// Only where half a unit is more than the study's margin and than half the interval of the mean.
// That cells without any spread say nothing of the error is told by condition_threats().
void add_coarse_times(const StudyObservation& observation,
                      const Study& study,
                      std::vector<ThreatRow>& threats) {
  std::int64_t cells = 0;
  Coarse worst;
  for (const CellObservation& cell : observation.cells) {
    const stats::MeanInterval mean =
        stats::mean_ci_t(trial_means(cell, kStepTime), 1.0 - kThreatAlpha);
    if (!mean.lo || mean.status == stats::Status::kZeroVariance) {
      continue;
    }
    const double unit_s = coarse_unit_s(cell, study, *mean.mean).value_or(0.0);
    if (unit_s <= *mean.hi - *mean.lo || unit_s / 2.0 <= study.analysis.margin * *mean.mean) {
      continue;
    }
    ++cells;
    if (worst.cell == nullptr || unit_s / *mean.mean > worst.unit_s / worst.mean_s) {
      worst = {&cell, unit_s, *mean.mean};
    }
  }
  if (cells > 0) {
    threats.push_back(
        {ThreatKind::kZeroVariance,
         Severity::kWarning,
         fmt::format("The step times of {} are printed too coarsely: at worst in units of {}, "
                     "{} % of the mean ({}). Rounding may move a mean by up to half of that, and "
                     "no interval shows it. Print more digits.",
                     format_count(cells, "cell"),
                     say_time(worst.unit_s),
                     format_plain(100.0 * worst.unit_s / worst.mean_s),
                     describe_cell(worst.cell->row))});
  }
}

// Times that are differences of time stamps add up to the right sum, however coarse they are.
bool are_differences(const Study& study) {
  return std::ranges::any_of(study.extract, [](const ExtractRule& rule) {
    return rule.metric == kStepTime && rule.is_difference;
  });
}

}  // namespace

std::vector<ThreatRow> step_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  if (study.workload == Workload::kCommand && !study.extract.empty()) {
    add_line_arrival(observation, threats);
    add_uncovered_time(observation, threats);
  }
  if (study.workload == Workload::kCommand && !are_differences(study)) {
    add_coarse_times(observation, study, threats);
  }
  add_periodic_steps(observation, threats);
  return threats;
}

}  // namespace scalestudy

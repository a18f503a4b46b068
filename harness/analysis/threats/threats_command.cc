// Threats from what a command of the user's leaves to chance.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/study/declared/step_work.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// "3 of 10 ok trials (first: 2 devices)" of those that `is_meant` says; "" for none.
std::string count_trials(const StudyObservation& observation,
                         const std::function<bool(const TrialObservation&)>& is_meant) {
  std::int64_t trials = 0;
  std::int64_t meant = 0;
  std::string first;
  for (const CellObservation& cell : observation.cells) {
    const auto count = std::ranges::count_if(cell.trials, is_meant);
    trials += std::ssize(cell.trials);
    meant += count;
    first = first.empty() && count > 0 ? describe_cell(cell.row) : first;
  }
  return meant == 0 ? ""
                    : std::to_string(meant) + " of " + format_count(trials, "ok trial") +
                          name_first(meant, first);
}

// What the rate is instead, after "... gives 39,000 to 40,000"; "" for one that is right.
std::string_view mistake_words(RateVerdict verdict) {
  switch (verdict) {
    case RateVerdict::kFollows:
    case RateVerdict::kCannotBeChecked:
      return "";
    case RateVerdict::kPerDeviceNotTotal:
      return "It is the rate of one device, not of all.";
    case RateVerdict::kTotalNotPerDevice:
      return "It is the rate of all devices, not of one.";
    case RateVerdict::kCountsX1024:
      return "Powers of 1024 were taken for powers of 1000, or the other way round.";
    case RateVerdict::kSparsePeak:
      return "It is the share of twice the declared peak, as peaks with sparsity are given.";
    case RateVerdict::kDensePeak:
      return "It is the share of half the declared peak: declare the dense peak.";
    case RateVerdict::kDoesNotFollow:
      return "No known mistake explains the difference.";
  }
  return "";
}

}  // namespace

std::vector<ThreatRow> printed_rate_threats(const StudyObservation& observation,
                                            const std::vector<EstimateRow>& estimates) {
  std::map<std::pair<std::string, RateVerdict>, std::pair<const EstimateRow*, int>> wrong;
  for (const EstimateRow& row : estimates) {
    if (row.recomputed_verdict && !mistake_words(*row.recomputed_verdict).empty() && row.value &&
        row.recomputed_lo && row.recomputed_hi) {
      auto& [first, cells] = wrong[{row.metric, *row.recomputed_verdict}];
      first = first == nullptr ? &row : first;
      ++cells;
    }
  }
  std::vector<ThreatRow> threats;
  for (const auto& [key, found] : wrong) {
    const auto& [row, cells] = found;
    const CellObservation* cell = observation.find_cell(row->cell_id);
    const std::string unit = row->unit == "1" ? "" : " " + row->unit;
    threats.push_back(
        {ThreatKind::kPrintedRates,
         Severity::kWarning,
         "The program prints " + row->metric + " of " + format_number(*row->value) + unit + " at " +
             describe_cell(cell->row) +
             (cells > 1 ? " (and likewise in " + format_count(cells - 1, "other cell") + ")" : "") +
             "; " + row->recomputed_from + " gives " +
             join_range(format_number(*row->recomputed_lo), format_number(*row->recomputed_hi)) +
             unit + ". " + std::string(mistake_words(key.second))});
  }
  return threats;
}

namespace {

// What step times cannot be, or say another thing of than the study.
void add_step_threats(const StudyObservation& observation,
                      const Study& study,
                      std::vector<ThreatRow>& threats) {
  const std::string single = count_trials(observation, [](const TrialObservation& trial) {
    const auto steps = trial.metrics.find(kStepTime);
    return steps != trial.metrics.end() && steps->second.steps == 1;
  });
  if (study.steps.is_open && !times_whole_commands(study.extract) && !single.empty()) {
    threats.push_back(
        {ThreatKind::kSingleSteps,
         Severity::kWarning,
         single + " measured only one step, because only one followed the warm-up of " +
             format_count(study.steps.warmup, "step") +
             " (steps.measured: rest): the time of a trial is that of its last step, and its "
             "median and tail are the same number. Let the program run more steps."});
  }
  const std::string impossible = count_trials(observation, [&](const TrialObservation& trial) {
    return has_impossible_times(trial, study);
  });
  if (!impossible.empty()) {
    threats.push_back(
        {ThreatKind::kImpossibleTimes,
         Severity::kWarning,
         "The measured steps of " + impossible +
             " add up to more than their trial took from start to end: the program prints another "
             "unit than the extract rule of step_time_s says, or times since its start (the rule "
             "then needs difference: true), or its steps overlap. Times and rates are wrong by "
             "that factor; ratios are right if it is the same in all cells."});
  }
  const std::string repeated = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_repeated_lines; });
  if (!repeated.empty()) {
    threats.push_back(
        {ThreatKind::kRepeatedSteps,
         Severity::kWarning,
         "In " + repeated +
             ", several lines seem to show the same step, because they come from several ranks or "
             "a resumed run. Each of them counts as a separate step. Name the number of "
             "the step in the rule, as (?<step>\\d+) in its regex or as step_path, and read the "
             "logs again with `scalestudy extract`."});
  }
  const std::string resumed =
      count_trials(observation, [](const TrialObservation& trial) { return trial.is_resumed; });
  if (!resumed.empty()) {
    threats.push_back(
        {ThreatKind::kRepeatedSteps,
         Severity::kNote,
         "In " + resumed +
             ", the number of the step goes back: the run was resumed, or the numbers begin "
             "again in each epoch. Steps that ran twice count twice, and the "
             "warm-up (" +
             format_count(study.steps.warmup, "step") + ") after it is left out."});
  }
}

// What went wrong beside the trials, whatever they run.
void add_beside_threats(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  const std::string unclean = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_failed_cleanup; });
  if (!unclean.empty()) {
    threats.push_back({ThreatKind::kFailedCleanup,
                       Severity::kWarning,
                       "The cleanup after " + unclean +
                           " failed, so what they left may disturb later trials. The trials count; "
                           "`scalestudy show` of one says how its cleanup ended."});
  }
  const std::string alone = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_ended_setup; });
  if (!alone.empty()) {
    threats.push_back(
        {ThreatKind::kLeftBySetup,
         Severity::kWarning,
         "What setup left running before " + alone +
             " was ended before the trial began, so a server or a load that setup starts is "
             "missing in the trial. Start it in the command, or before the run."});
  }
}

// What a trial printed that is not in its values.
void add_output_threats(const StudyObservation& observation,
                        const Study& study,
                        std::vector<ThreatRow>& threats) {
  // A rule that was mended since says what its commas are.
  const std::string commas = count_trials(observation, [&](const TrialObservation& trial) {
    return std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
      return !rule.decimal && trial.comma_metrics.contains(rule.metric);
    });
  });
  if (!commas.empty()) {
    threats.push_back(
        {ThreatKind::kDecimalCommas,
         Severity::kWarning,
         "In " + commas +
             " every value of a metric is printed with one comma and three digits after it, like "
             "12,345. It was read as 12345, which is a thousand times too much if the comma is a "
             "decimal one. Add decimal: comma or decimal: point to the rule, and read the outputs "
             "again with `scalestudy extract`."});
  }
  const std::string unread = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_unread_output; });
  if (!unread.empty()) {
    threats.push_back(
        {ThreatKind::kUnreadOutput,
         Severity::kWarning,
         "Part of the output of " + unread +
             " was not read, because it is UTF-16 or has lines of more than 1 MiB: "
             "values may be missing. Let the program write UTF-8 and shorter lines."});
  }
  const std::string fewer = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_fewer_values; });
  if (!fewer.empty()) {
    threats.push_back(
        {ThreatKind::kUnreadOutput,
         Severity::kWarning,
         "In " + fewer +
             ", a metric lacks a value at some steps (`scalestudy show` of a trial names the "
             "metric and a step). Its rule may not match all that is printed, such as nan or "
             "another unit. Mend it, and read the outputs again with `scalestudy extract`."});
  }
  const std::string errors = count_trials(
      observation, [](const TrialObservation& trial) { return trial.has_error_lines; });
  if (!errors.empty()) {
    threats.push_back(
        {ThreatKind::kErrorLines,
         Severity::kWarning,
         "The output of " + errors + " reports an error, such as a Traceback" +
             (observation.imported ? ". A log does not tell the exit code, so they count. "
                                   : ", although their exit code is 0. They count. ") +
             "Read `scalestudy logs` of one; if such trials are to fail, add fail_if to the study "
             "file" +
             (observation.imported ? " and read the logs again with `scalestudy extract`." : ".")});
  }
}

void add_edited_programs(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::set<std::string> names;
  const std::string trials = count_trials(observation, [&](const TrialObservation& trial) {
    names.insert(trial.edited_programs.begin(), trial.edited_programs.end());
    return !trial.edited_programs.empty();
  });
  if (!names.empty()) {
    threats.push_back({ThreatKind::kChangedStudy,
                       Severity::kWarning,
                       fmt::format("Edited while a session ran: {}. After that, {} ran a different "
                                   "program than before. Run the study under another name.",
                                   list_some(std::vector(names.begin(), names.end())),
                                   trials)});
  }
}

}  // namespace

std::vector<ThreatRow> command_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  add_beside_threats(observation, threats);
  if (study.workload != Workload::kCommand) {
    return threats;
  }
  add_step_threats(observation, study, threats);
  add_output_threats(observation, study, threats);
  add_edited_programs(observation, threats);
  if (goes_by_speed(study) && std::ranges::any_of(observation.cells, [&](const auto& cell) {
        const CellObservation* base = observation.find_cell(cell.row.baseline);
        return cell.row.role == CellRole::kMeasured && base != nullptr &&
               !has_known_work(base->row, cell.row, study);
      })) {
    threats.push_back({ThreatKind::kUnknownWork,
                       Severity::kWarning,
                       std::string(kUnstatedWork) +
                           ". Then run the study again with --accept-changes, or import "
                           "the logs under another study name."});
  }
  if (study.is_remote()) {
    threats.push_back({ThreatKind::kDeclaredDevices,
                       Severity::kNote,
                       "Devices are declared, not checked: the command runs elsewhere (where: "
                       "remote). Their number, load and clocks are unknown to scalestudy."});
  }
  return threats;
}

}  // namespace scalestudy

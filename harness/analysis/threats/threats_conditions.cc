// Threats from how the trials were run.
#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/estimates/precision.h"
#include "harness/analysis/observe/analysis_change.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Not left out: what slows two devices and not one would be gone from the answer.
void add_throttled(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t trials = 0;
  std::int64_t slowed = 0;
  std::vector<std::string> cells;
  for (const CellObservation& cell : observation.cells) {
    const auto count = std::ranges::count_if(cell.trials, [&](const TrialObservation& trial) {
      return observation.throttled.contains(trial.row.id);
    });
    trials += std::ssize(cell.trials);
    slowed += count;
    if (count > 0) {
      cells.push_back(describe_cell(cell.row));
    }
  }
  if (slowed == 0) {
    return;
  }
  threats.push_back(
      {ThreatKind::kThrottled,
       Severity::kWarning,
       std::to_string(slowed) + " of " + format_count(trials, "trial") +
           " ran at lower clocks, because heat or the power supply slowed CPUs or GPUs: " +
           list_some(cells) +
           ". Those trials are included. Cells that produce more heat are slowed more, so ratios "
           "would differ on cooler hardware."});
}

// A t interval of equal values has no width, however wrong they are.
void add_zero_variance(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t constant = 0;
  std::string first;
  for (const CellObservation& cell : observation.cells) {
    const std::vector<double> means = trial_means(cell, kStepTime);
    if (means.size() > 1 &&
        std::ranges::adjacent_find(means, std::not_equal_to<>()) == means.end()) {
      ++constant;
      first = first.empty() ? describe_cell(cell.row) : first;
    }
  }
  if (constant > 0) {
    threats.push_back(
        {ThreatKind::kZeroVariance,
         Severity::kWarning,
         "The step time is the same in all trials of " + format_count(constant, "cell") +
             name_first(constant, first) +
             ", as if the clock were too coarse or the program printed a constant. Their "
             "intervals have no width (status zero_variance) and say nothing about the error."});
  }
}

// Of cells whose times say that they run, not how fast.
void add_without_claim(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  const auto add = [&](ThreatKind kind, const auto& concerns, const std::string& what) {
    const auto first = std::ranges::find_if(observation.cells, concerns);
    const auto count = std::ranges::count_if(observation.cells, concerns);
    if (count == 0) {
      return;
    }
    threats.push_back(
        {kind,
         Severity::kWarning,
         std::to_string(count) + " of " +
             format_count(static_cast<std::int64_t>(observation.cells.size()), "cell") + what +
             name_first(count, describe_cell(first->row)) +
             ". This shows that they run, not how fast. They enter no targets, thresholds, laws "
             "or verdicts, except verdicts on bytes that are the same in all trials."});
  };
  add(
      ThreatKind::kOversubscribed,
      [](const CellObservation& cell) { return cell.row.oversubscribed; },
      " ran with more ranks and threads than cores, or with ranks sharing a device");
  add(
      ThreatKind::kSoftwareTypes,
      [](const CellObservation& cell) { return cell.has_software_type; },
      " sent 16-bit numbers that its cores convert in software, as no GPU does");
}

void add_missing_baselines(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t missing = 0;
  std::string problem;
  for (const CellObservation& cell : observation.cells) {
    const bool lacks = cell.row.role == CellRole::kMeasured &&
                       observation.find_cell(cell.row.baseline) == nullptr &&
                       (cell.row.baseline || !cell.row.baseline_problem.value_or("").empty());
    if (lacks) {
      ++missing;
      if (problem.empty()) {
        const std::string stored = cell.row.baseline_problem.value_or("");
        problem = describe_cell(cell.row) + ": " +
                  (stored.empty() ? "its baseline is not measured" : stored);
      }
    }
  }
  if (missing > 0) {
    threats.push_back(
        {ThreatKind::kMissingBaseline,
         Severity::kWarning,
         format_count(missing, "cell") + " cannot be compared with a baseline (" + problem + ")."});
  }
}

// On more cores a rank computes faster, or keeps its communication thread out of the way.
void add_changed_cores(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::vector<std::string> mixed;
  for (const CellObservation& cell : observation.cells) {
    std::set<double> cores;
    for (const TrialObservation& trial : cell.trials) {
      if (trial.cores_per_rank) {
        cores.insert(*trial.cores_per_rank);
      }
    }
    if (cores.size() > 1) {
      mixed.push_back(
          fmt::format("{}: {} to {}", describe_cell(cell.row), *cores.begin(), *cores.rbegin()));
    }
  }
  if (!mixed.empty()) {
    threats.push_back(
        {ThreatKind::kChangedCores,
         Severity::kWarning,
         "The ranks of a cell were bound to different numbers of cores in different trials (" +
             join(mixed, "; ") + "), and its means mix them."});
  }
}

void add_changed_analysis(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  if (!observation.analysis_change) {
    return;
  }
  const AnalysisChange& change = *observation.analysis_change;
  threats.push_back({ThreatKind::kChangedAnalysis,
                     Severity::kWarning,
                     "The analysis was changed after " + std::to_string(change.attempts_before) +
                         " of " + format_count(change.attempts, "attempt") + " had run (" +
                         join(change.differences, "; ") +
                         "). Margins, rules, baselines and targets that are chosen after seeing "
                         "data say what to test next; they cannot judge the same trials."});
}

void add_mixed_units(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  for (const std::string& metric : observation.mixed_units) {
    threats.push_back({ThreatKind::kMixedUnits,
                       Severity::kWarning,
                       "Trials gave " + metric +
                           " in several units: it is left out of the results. Give it one unit "
                           "and run the trials under another study name."});
  }
}

void add_missing_metrics(const StudyObservation& observation,
                         const Study& study,
                         std::vector<ThreatRow>& threats) {
  for (const ExtractRule& rule : study.extract) {
    std::int64_t trials = 0;
    std::int64_t lacking = 0;
    std::string first;
    for (const CellObservation& cell : observation.cells) {
      for (const TrialObservation& trial : cell.trials) {
        ++trials;
        if (!trial.metrics.contains(rule.metric) && rule.metric != kWindowTime) {
          ++lacking;
          first = first.empty() ? describe_cell(cell.row) : first;
        }
      }
    }
    if (lacking > 0 && !observation.mixed_units.contains(rule.metric)) {
      threats.push_back({ThreatKind::kMissingMetrics,
                         Severity::kNote,
                         fmt::format("{} is missing in {} of {}{}: its extract rule "
                                     "found nothing there. {}",
                                     rule.metric,
                                     lacking,
                                     format_count(trials, "ok trial"),
                                     name_first(lacking, first),
                                     lacking == trials ? "It has no results."
                                                       : "Its results are of the others.")});
    }
  }
}

}  // namespace

std::vector<ThreatRow> condition_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats = trial_threats(observation, study);
  add_throttled(observation, threats);
  add_zero_variance(observation, threats);
  add_without_claim(observation, threats);
  add_missing_baselines(observation, threats);
  std::ranges::copy(changed_study_threats(observation, study), std::back_inserter(threats));
  add_changed_cores(observation, threats);
  add_changed_analysis(observation, threats);
  add_mixed_units(observation, threats);
  add_missing_metrics(observation, study, threats);
  std::ranges::copy(adaptive_threats(observation, study), std::back_inserter(threats));
  return threats;
}

}  // namespace scalestudy

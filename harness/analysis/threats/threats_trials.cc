// Threats from which trials the results rest on.
#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kAdvisedTrials = 5;

std::int64_t ok_count(const CellObservation& cell) {
  return static_cast<std::int64_t>(cell.trials.size());
}

// Running out of memory is what a search for the largest batch asks for, with one trial.
StudyObservation without_probes(StudyObservation observation, const Study& study) {
  std::erase_if(observation.cells,
                [&](const CellObservation& cell) { return is_probe(cell, study); });
  return observation;
}

// A cell whose trials all failed is none of few trials: it has no interval, and its own threat. Nor
// is one that the machine does not support, whose trials neither failed nor wait.
bool has_few(const CellObservation& cell) {
  return ok_count(cell) < kAdvisedTrials &&
         (ok_count(cell) > 0 || (failed_count(cell) == 0 && cell.waiting > 0));
}

void add_few_trials(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::vector<const CellObservation*> few;
  for (const CellObservation& cell : observation.cells) {
    if (has_few(cell)) {
      few.push_back(&cell);
    }
  }
  if (few.empty()) {
    return;
  }
  const auto [least, most] =
      std::ranges::minmax(few, {}, [](const auto* cell) { return ok_count(*cell); });
  const std::string said = fmt::format(
      "{} of {} {} on fewer than {} ok trials; the fewest are {} of {} {} ({}). {}",
      few.size(),
      format_count(std::ssize(observation.cells), "cell"),
      few.size() == 1 ? "rests" : "rest",
      kAdvisedTrials,
      ok_count(*least),
      least->planned + least->given_up,
      observation.imported ? "imported" : "planned",
      describe_cell(least->row),
      ok_count(*most) < 2
          ? "A single trial gives no interval."
          : "Intervals from so few trials are wide, and assume normally distributed trials.");
  threats.push_back({ThreatKind::kFewTrials, Severity::kWarning, said});
}

// "failed 1, timeout 2".
std::string list_states(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [state, count] : counts) {
    text += (text.empty() ? "" : ", ") + state + " " + std::to_string(count);
  }
  return text;
}

void add_failed_trials(const StudyObservation& observation,
                       const Study& study,
                       std::vector<ThreatRow>& threats) {
  std::vector<std::string> cells;
  bool has_result = false;
  for (const CellObservation& cell : observation.cells) {
    const bool ran_out = cell.failures.size() == cell.failures.count("oom");  // and nothing else
    if (!has_survivors_only(cell) || (ran_out && is_probe(cell, study))) {
      continue;
    }
    const std::int64_t finished = failed_count(cell) + ok_count(cell);
    const double share = static_cast<double>(failed_count(cell)) / static_cast<double>(finished);
    cells.push_back(fmt::format("{}: {} of {} ({}; {} %{})",
                                describe_cell(cell.row),
                                failed_count(cell),
                                format_count(finished, "attempt"),
                                list_states(cell.failures),
                                format_plain(100.0 * share),
                                ok_count(cell) == 0 ? ", so it has no result" : ""));
    has_result = has_result || ok_count(cell) > 0;
  }
  if (!cells.empty()) {
    threats.push_back(
        {ThreatKind::kFailedTrials,
         Severity::kWarning,
         fmt::format(fmt::runtime(has_result ? "Some attempts of {} did not end ok, so "
                                               "results come only from the survivors: {}."
                                             : "No attempt of {} ended ok: {}."),
                     format_count(static_cast<std::int64_t>(cells.size()), "cell"),
                     list_some(cells))});
  }
}

// Where slow launches are the ones that fail, a retry puts a faster one in their place.
void add_retried_failures(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::map<std::string, std::int64_t> states;
  std::int64_t cells = 0;
  std::int64_t attempts = 0;
  std::string first;
  for (const CellObservation& cell : observation.cells) {
    for (const auto& [state, count] : cell.retried) {
      states[state] += count;
      attempts += count;
    }
    cells += cell.retried.empty() ? 0 : 1;
    first = first.empty() && !cell.retried.empty() ? describe_cell(cell.row) : first;
  }
  if (attempts == 0) {
    return;
  }
  threats.push_back(
      {ThreatKind::kRetriedFailures,
       states.contains("timeout") ? Severity::kWarning : Severity::kNote,
       format_count(attempts, "attempt") + " (" + list_states(states) + ") in " +
           format_count(cells, "cell") + name_first(cells, first) +
           " did not end ok; a later attempt that did counts instead. If the slow launches "
           "failed, for example at a time limit, the results describe only the faster ones."});
}

void add_pruned(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t pruned = 0;
  for (const CellObservation& cell : observation.cells) {
    pruned += cell.pruned;
  }
  if (pruned > 0) {
    threats.push_back(
        {ThreatKind::kPruned,
         Severity::kNote,
         fmt::format("{} of earlier sessions {} removed by prune. All results rest on "
                     "the trials that are left.",
                     format_count(pruned, "trial"),
                     pruned == 1 ? "was" : "were")});
  }
}

// What nobody wrote down of imported trials, and what that leaves open.
void add_imported(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  if (!observation.imported) {
    return;
  }
  const auto& [trials, has_blocks, has_order] = *observation.imported;
  threats.push_back(
      {ThreatKind::kImported,
       Severity::kWarning,
       fmt::format(
           "{} read from logs: scalestudy did not run {}. Machine, software, other load and exit "
           "status are not recorded.{}{}",
           format_count(trials, "trial") + (trials == 1 ? " was" : " were"),
           trials == 1 ? "it" : "them",
           has_blocks
               ? fmt::format(" Blocks are declared: from {} on, comparisons are paired by them.",
                             kLeastBlocks)
               : " No blocks are declared, so comparisons are not paired, and whatever "
                 "differed between the launches of two cells is part of their difference.",
           has_order ? "" : " The order of launches is not known, so drift is not assessed.")});
}

}  // namespace

std::vector<ThreatRow> trial_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  add_imported(observation, threats);
  add_few_trials(without_probes(observation, study), threats);
  add_failed_trials(observation, study, threats);
  add_retried_failures(observation, threats);
  add_pruned(observation, threats);
  return threats;
}

std::vector<ThreatRow> exclusion_threats(const StudyObservation& all) {
  std::vector<std::string> trials;
  for (const CellObservation& cell : all.cells) {
    for (const auto& [trial, why] : cell.excluded) {
      trials.push_back(fmt::format("trial {} ({}): {}", trial, describe_cell(cell.row), why));
    }
  }
  if (trials.empty()) {
    return {};
  }
  return {{ThreatKind::kExcludedTrials,
           Severity::kWarning,
           fmt::format("{} excluded by hand, after the results were known or could be: {}. No "
                       "interval allows for that choice.",
                       format_count(static_cast<std::int64_t>(trials.size()), "trial") +
                           (trials.size() == 1 ? " is" : " are"),
                       list_some(trials))}};
}

}  // namespace scalestudy

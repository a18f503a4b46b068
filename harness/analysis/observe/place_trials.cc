#include "harness/analysis/observe/place_trials.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "harness/analysis/observe/observe_machine.h"
#include "harness/store/excluded_trials.h"
#include "harness/store/rows/runs.h"

namespace scalestudy {
namespace {

using Place = std::tuple<std::int64_t, std::string, std::int64_t>;  // cell, plan, block

Place place_of(const TrialRow& trial) {
  return {trial.cell_id, trial.plan, trial.block};
}

// Whether how this launch ended may depend on what it would have measured, so that another one in
// its place is a choice. A signal that the harness did not send is from outside.
bool may_select(const TrialRow& failed) {
  return failed.state != TrialState::kFailed || !failed.signal;
}

// By their place, the last attempts.
std::map<Place, const TrialRow*> last_attempts(const std::vector<TrialRow>& trials) {
  std::map<Place, const TrialRow*> last;
  for (const TrialRow& trial : trials) {
    if (!trial.superseded) {
      last.emplace(place_of(trial), &trial);
    }
  }
  return last;
}

// Puts the last attempt of a planned trial into its cell.
void add_planned(const TrialRow& trial, CellObservation& cell) {
  ++cell.planned;
  cell.unsupported += trial.state == TrialState::kUnsupported ? 1 : 0;
  cell.lost += has_failed(trial.state) && trial.state != TrialState::kInvalid ? 1 : 0;
  cell.out_of_memory += trial.state == TrialState::kOom ? 1 : 0;
  cell.waiting += is_pending(trial.state) ? 1 : 0;
  cell.row.oversubscribed |= trial.oversubscribed;
  if (trial.state == TrialState::kOk) {
    cell.trials.emplace_back().row = trial;
  }
}

// Counts in the trial's cell that it is excluded by hand, or how it failed, or that it was skipped.
// - last: the last attempts, by their place
// - replaced: gets the failures in whose place another trial counts, those of them that may select
void count_lost(const TrialRow& trial,
                const std::map<std::int64_t, std::string>& excluded,
                const std::map<Place, const TrialRow*>& last,
                const StudyObservation& observation,
                CellObservation& cell,
                std::map<Place, std::int64_t>& replaced) {
  const bool is_pruned = trial.skip_reason == SkipReason::kPruned;
  if (const auto why = excluded.find(trial.id); why != excluded.end() && !is_pruned) {
    if (!trial.superseded) {
      cell.excluded.insert(*why);
    }
  } else if (has_failed(trial.state) && !is_put_aside(trial) &&
             !is_of_earlier_command(trial, observation)) {
    ++cell.failures[to_word(trial.state)];
    const auto other = last.find(place_of(trial));
    if (other != last.end() && other->second->state == TrialState::kOk) {
      ++cell.retried[to_word(trial.state)];
      replaced[place_of(trial)] += may_select(trial) ? 1 : 0;
    }
  }
  cell.pruned += !trial.superseded && is_pruned ? 1 : 0;
  const bool is_given_up =
      trial.skip_reason == SkipReason::kFailures || trial.skip_reason == SkipReason::kTooLarge;
  cell.given_up += !trial.superseded && is_given_up ? 1 : 0;
}

}  // namespace

void place_trials(const std::vector<AnnotationRow>& annotations,
                  const std::vector<TrialRow>& trials,
                  StudyObservation& observation) {
  const std::map<std::int64_t, std::string> excluded = excluded_trials(annotations);
  std::unordered_map<std::int64_t, CellObservation*> by_id;
  for (CellObservation& cell : observation.cells) {
    by_id.emplace(cell.row.id, &cell);
  }
  const std::map<Place, const TrialRow*> last = last_attempts(trials);
  std::map<Place, std::int64_t> replaced;
  for (const TrialRow& trial : each_run_once(trials)) {
    const auto found = by_id.find(trial.cell_id);
    if (found == by_id.end()) {
      continue;
    }
    CellObservation& cell = *found->second;
    count_lost(trial, excluded, last, observation, cell, replaced);
    if (is_in_plan(trial)) {
      add_planned(trial, cell);
    }
  }
  for (const auto& [place, failures] : replaced) {
    ChosenTrials& chosen = by_id.at(std::get<0>(place))->chosen;
    chosen.trials += failures > 0 ? 1 : 0;
    chosen.failures += failures;
    chosen.launches = std::max(chosen.launches, failures == 0 ? 0 : failures + 1);
  }
  for (CellObservation& cell : observation.cells) {
    std::ranges::stable_sort(
        cell.trials, {}, [](const TrialObservation& trial) { return trial.row.block; });
    cell.trials.shrink_to_fit();  // they are large, and all of a study's are kept
  }
}

}  // namespace scalestudy

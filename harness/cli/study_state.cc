#include "harness/cli/study_state.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/clock.h"
#include "harness/cli/trial_hints.h"
#include "harness/cli/verb_call.h"
#include "harness/run/session/eta.h"
#include "harness/store/rows/imported.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

bool is_left(TrialState state) {
  return state == TrialState::kPlanned || state == TrialState::kRunning;
}

template <typename Predicate>
std::int64_t sum_of(const std::map<TrialState, std::int64_t>& trials, Predicate is_counted) {
  std::int64_t sum = 0;
  for (const auto& [state, count] : trials) {
    sum += is_counted(state) ? count : 0;
  }
  return sum;
}

// Only the last session of the store can be the holder's, and only if it began under this lock; a
// study without one is about to get its first.
bool is_live(const Store& store,
             const std::optional<SessionRow>& session,
             const std::optional<LockHolder>& holder) {
  if (!holder || !session) {
    return holder.has_value();
  }
  return !session->finished_at && session->started_at >= holder->since &&
         std::get<std::int64_t>(store.query("SELECT max(id) FROM session").rows.at(0).at(0)) ==
             session->id;
}

RunState run_state(const StudyState& state, bool is_running) {
  if (is_running) {
    return RunState::kRunning;
  }
  if (state.is_imported) {
    return RunState::kImported;
  }
  const bool is_killed = !state.session || state.session->ending == SessionEnding::kNone;
  return state.left() == 0 ? RunState::kDone
         : is_killed       ? RunState::kInterrupted
                           : RunState::kStopped;
}

// What the attempts at one trial have in common: cell, plan, block.
using Place = std::tuple<std::int64_t, std::string, std::int64_t>;

Place place_of(const TrialRow& trial) {
  return {trial.cell_id, trial.plan, trial.block};
}

// By whichever attempt, or a further reading of its logs.
std::set<Place> places_ended_ok(const std::vector<TrialRow>& trials) {
  std::set<Place> places;
  for (const TrialRow& trial : trials) {
    if (!trial.superseded && trial.state == TrialState::kOk) {
      places.insert(place_of(trial));
    }
  }
  return places;
}

// Trials, labels and the time left; `counted` tells the cells of the plan.
void read_trials(const Store& store, const std::string& now, StudyState& state) {
  std::map<std::int64_t, bool> counted;
  for (const CellRow& cell : store.cells(state.study.id)) {
    counted[cell.id] = !cell.excluded_reason.has_value();
    state.labels[cell.id] = cell.label;
  }
  std::vector<TrialRow> counting;
  std::map<std::int64_t, std::int64_t> left;
  const std::vector<TrialRow> trials = store.trials(state.study.id);
  const std::set<Place> made_good = places_ended_ok(trials);
  for (const TrialRow& trial : trials) {
    counting.push_back(trial);  // of cells that left too: a session's time went by with them
    if (!counted[trial.cell_id] && trial.state != TrialState::kExcluded) {
      continue;
    }
    if (!trial.superseded) {
      ++state.trials[trial.state];
      left[trial.cell_id] += is_left(trial.state) ? 1 : 0;
    }
    if (trial.state == TrialState::kRunning) {
      state.current = trial;
    }
    if (is_unusable(trial.state) && !made_good.contains(place_of(trial)) &&
        (!state.failure || std::pair(trial.started_at, trial.id) >
                               std::pair(state.failure->started_at, state.failure->id))) {
      state.failure = trial;
    }
  }
  state.is_imported = imported_of(trials).has_value();
  const Eta eta = eta_of(counting);
  state.eta_s = eta.total_s(left);
  if (state.eta_s && state.current) {
    const double spent_s =
        seconds_between(state.current->started_at.value_or(now), now).value_or(0);
    *state.eta_s -= std::clamp(spent_s, 0.0, eta.trial_s(state.current->cell_id).value_or(0.0));
  }
}

std::string trial_text(const StudyState& state, const TrialRow& trial) {
  return fmt::format("trial {}: {}  {}{}",
                     trial.id,
                     state.labels.at(trial.cell_id),
                     trial.source.value_or(fmt::format("block {}", trial.block + 1)),
                     trial.attempt > 1 ? fmt::format("  attempt {}", trial.attempt) : "");
}

std::string head_text(const StudyState& state, const std::string& call) {
  const std::string since = state.session ? state.session->started_at : "";
  const std::string counts = fmt::format("{} trials done, {} left", state.done(), state.left());
  if (state.has_jobs && state.state != RunState::kRunning) {
    return "gathered so far: " + counts;
  }
  switch (state.state) {
    case RunState::kRunning:
      return fmt::format("running since {}: {}, ETA {}",
                         since,
                         counts,
                         state.eta_s ? format_duration(*state.eta_s) : "unknown");
    case RunState::kInterrupted:
      return fmt::format("interrupted: the run that began {} is gone (killed?); {}; `{}` goes on",
                         since,
                         counts,
                         call);
    case RunState::kStopped:
      return fmt::format(
          "stopped ({}): {}; `{}` goes on", to_word(state.session.value().ending), counts, call);
    case RunState::kImported:
      return fmt::format("imported from logs, not run by scalestudy: {}",
                         format_count(state.done(), "trial"));
    case RunState::kDone:
      break;
  }
  return fmt::format("done: {}", counts);
}

}  // namespace

std::int64_t StudyState::left() const {
  return sum_of(trials, is_left);
}

std::int64_t StudyState::done() const {
  return unusable() + sum_of(trials, [](TrialState one) { return one == TrialState::kOk; });
}

std::int64_t StudyState::unusable() const {
  return sum_of(trials, is_unusable);
}

StudyState study_state(const Store& store,
                       const StudyRow& study,
                       const std::optional<LockHolder>& holder,
                       const std::string& now) {
  StudyState state;
  state.study = study;
  if (std::vector<SessionRow> sessions = store.sessions(study.id); !sessions.empty()) {
    state.session = std::move(sessions.back());
    state.idle_s =
        seconds_between(state.session->finished_at.value_or(state.session->started_at), now);
  }
  read_trials(store, now, state);
  state.state = run_state(state, is_live(store, state.session, holder));
  return state;
}

std::string progress_text(const StudyState& state) {
  const std::int64_t planned = state.done() + state.left();
  std::string text = fmt::format(
      "{}: [{:>{}}/{}]", state.study.name, state.done(), std::to_string(planned).size(), planned);
  return state.current ? text + " " + trial_text(state, *state.current) : text;
}

std::vector<std::string> describe(const StudyState& state,
                                  const Store& store,
                                  const std::string& results) {
  std::vector<std::string> lines;
  if (state.state == RunState::kDone && state.unusable() == 0) {
    return lines;
  }
  lines.push_back(fmt::format(
      "{}: {}", state.study.name, head_text(state, call_of(results, "run", state.study.name))));
  if (state.current && (!state.has_jobs || state.state == RunState::kRunning)) {
    lines.push_back(fmt::format("  {} {}",
                                state.state == RunState::kRunning ? "now:" : "it was at",
                                trial_text(state, *state.current)));
  }
  if (state.failure) {
    lines.push_back(fmt::format("  last failure: {}: {}: {}",
                                trial_text(state, *state.failure),
                                to_word(state.failure->state),
                                state.failure->reason));
    for (const std::string& hint : trial_hints(store, state.failure->id)) {
      lines.push_back("    " + hint);
    }
  }
  return lines;
}

}  // namespace scalestudy

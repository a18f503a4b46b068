#include "harness/cli/study_state.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/cli/own_text.h"
#include "harness/cli/trial_hints.h"
#include "harness/run/session/eta.h"
#include "harness/run/study_changes.h"
#include "harness/store/database/schema.h"
#include "harness/store/excluded_trials.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/text/words.h"

namespace scalestudy {
namespace {

template <typename Predicate>
std::int64_t sum_of(const std::map<TrialState, std::int64_t>& trials, Predicate is_counted) {
  std::int64_t sum = 0;
  for (const auto& [state, count] : trials) {
    sum += is_counted(state) ? count : 0;
  }
  return sum;
}

// By state and why they were skipped: the last attempts of cells and blocks that the study has, and
// whether any was imported.
constexpr std::string_view kCounts =
    "SELECT state, skip_reason, sum(skip_reason IS NOT 'not_in_study' AND (state = 'excluded' OR "
    "cell_id NOT IN (SELECT id FROM cell WHERE excluded_reason IS NOT NULL))), "
    "max(provenance = 'imported') FROM trial WHERE study_id = ?1 AND NOT ";

// 0 and "" of what is none: another program may have put anything into a store.
std::int64_t integer(const Field& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  return number == nullptr ? 0 : *number;
}

std::string stored_text(const Field& field) {
  const auto* own = std::get_if<std::string>(&field);
  return own == nullptr ? "" : *own;
}

// Only the last session of the store can be the holder's, and only if it began under this lock. A
// study without one may be about to get its first as long as the holder has begun none; one that
// was submitted gets it from its jobs.
bool is_live(const Store& store, const StudyState& state, const std::optional<LockHolder>& holder) {
  if (!holder || !holder->waiting.empty()) {
    return false;
  }
  const auto last = store.query("SELECT max(id), max(started_at) FROM session").rows.at(0);
  return state.session
             ? !state.session->finished_at && state.session->started_at >= holder->since &&
                   integer(last.at(0)) == state.session->id
             : stored_text(last.at(1)) < holder->since &&
                   !std::filesystem::exists(jobs_folder(store.results_folder(), state.study.name));
}

RunState run_state(const StudyState& state, bool is_waiting, bool is_running) {
  if (state.is_imported) {
    return RunState::kImported;
  }
  if (is_waiting) {
    return RunState::kWaiting;
  }
  if (is_running) {
    return RunState::kRunning;
  }
  if (state.left() == 0) {
    return RunState::kDone;
  }
  return !state.session                                  ? RunState::kPlanned
         : state.session->ending == SessionEnding::kNone ? RunState::kInterrupted
         : state.session->ending == SessionEnding::kDone ? RunState::kPartlyDone
                                                         : RunState::kStopped;
}

TrialState counted_state(const Field& field, const Store& store) {
  const auto state = from_word<TrialState>(stored_text(field));
  if (!state) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: the state of a trial is '{}', which is not one of {}; another "
                            "program changed it, or a newer scalestudy wrote it",
                            (store.results_folder() / "results.db").string(),
                            stored_text(field),
                            join(words_of<TrialState>(), ", ")));
  }
  return *state;
}

void count_trials(const Store& store, StudyState& state) {
  const QueryResult counts =
      store.query(std::string(kCounts) + std::string(kSuperseded) + " GROUP BY state, skip_reason",
                  {state.study.id});
  for (const std::vector<Field>& row : counts.rows) {
    const TrialState word = counted_state(row.at(0), store);
    const auto skip_reason = from_word<SkipReason>(stored_text(row.at(1)));
    const std::int64_t count = integer(row.at(2));
    if (count > 0) {
      state.trials[word] += count;
    }
    state.is_imported = state.is_imported || integer(row.at(3)) != 0;
    state.given_up += is_left_to_run(word, skip_reason) && !is_pending(word) ? count : 0;
  }
}

// The attempt of a cell of the study that comes first.
// - which: SQL, the condition on it and the order.
std::optional<NamedTrial> find_trial(const Store& store,
                                     std::int64_t study_id,
                                     const std::string& which) {
  const QueryResult found = store.query(
      "SELECT trial.id, format('trial %d: %s  %s%s', trial.id, label, "
      "coalesce(source, format('block %d', block + 1)), "
      "iif(attempt > 1, format('  attempt %d', attempt), '')), state, reason "
      "FROM trial JOIN cell ON cell.id = cell_id WHERE trial.study_id = ?1 "
      "AND excluded_reason IS NULL AND " +
          which + " LIMIT 1",
      {study_id});
  if (found.rows.empty()) {
    return std::nullopt;
  }
  const std::vector<Field>& row = found.rows.front();
  return NamedTrial{.id = integer(row.at(0)),
                    .name = stored_text(row.at(1)),
                    .state = stored_text(row.at(2)),
                    .reason = stored_text(row.at(3))};
}

void name_trials(const Store& store, StudyState& state) {
  if (state.trials.contains(TrialState::kRunning)) {
    state.current =
        find_trial(store,
                   state.study.id,
                   "state = 'running' ORDER BY position DESC, attempt DESC, trial.id DESC");
  }
  // An attempt is made good by whichever ended ok, also in another plan of a merged store unless
  // that is a search, or by a further reading of its logs; one excluded by hand did not fail.
  state.failure = find_trial(
      store,
      state.study.id,
      fmt::format("state IN ('failed', 'timeout', 'oom', 'invalid', 'unsupported') AND trial.id "
                  "NOT IN ({}) ",
                  fmt::join(excluded_by_hand(store, state.study.id), ", ")) +
          "AND NOT EXISTS "
          "(SELECT 1 FROM trial AS good WHERE good.cell_id = trial.cell_id "
          "AND (good.plan = trial.plan OR (trial.part = '' AND trial.provenance = 'measured')) "
          "AND good.block = trial.block AND good.state = 'ok' AND NOT EXISTS "
          "(SELECT 1 FROM trial AS later WHERE later.cell_id = good.cell_id AND later.plan = "
          "good.plan "
          "AND later.block = good.block AND later.attempt > good.attempt)) "
          "ORDER BY started_at DESC, position DESC, trial.id DESC");
}

void estimate_time_left(const Store& store, const std::string& now, StudyState& state) {
  std::map<std::int64_t, std::int64_t> left;
  const std::vector<TrialRow> trials = store.trials(state.study.id);
  const auto is_changed = [&](const SessionRow& row) { return row.study_hash != state.study.hash; };
  const std::set<std::int64_t> earlier =
      std::ranges::any_of(store.sessions(state.study.id), is_changed)
          ? earlier_sessions(parse_own_text(state.study), store, state.study.id)
          : std::set<std::int64_t>();
  std::vector<TrialRow> alike = trials;
  std::erase_if(alike, [&](const TrialRow& trial) {
    return trial.session_id && earlier.contains(*trial.session_id);
  });
  const Eta eta = eta_of(alike);  // of cells that left too: a session's time went by with them
  std::set<std::int64_t> dropped;
  for (const CellRow& cell : store.cells(state.study.id)) {
    if (cell.excluded_reason) {
      dropped.insert(cell.id);
    }
  }
  const TrialRow* current = nullptr;
  for (const TrialRow& trial : trials) {
    if (is_pending(trial.state) && !dropped.contains(trial.cell_id)) {
      left[trial.cell_id] += trial.superseded ? 0 : 1;
      current = trial.state == TrialState::kRunning ? &trial : current;
    }
  }
  state.eta_s = eta.total_s(left);
  if (state.eta_s && current != nullptr) {
    const double spent_s = seconds_between(current->started_at.value_or(now), now).value_or(0);
    *state.eta_s -= std::clamp(spent_s, 0.0, eta.trial_s(current->cell_id).value_or(0.0));
  }
}

std::string stop_text(SessionEnding ending) {
  return ending == SessionEnding::kMaxTime     ? "limits.max_time reached"
         : ending == SessionEnding::kMaxTrials ? "--max-trials reached"
         : ending == SessionEnding::kFailures  ? "all attempts failed alike"
         : ending == SessionEnding::kDisturbed ? "the machine was disturbed"
                                               : to_word(ending);
}

std::string head_text(const StudyState& state, const std::string& call) {
  const std::string since = state.session ? state.session->started_at : "";
  const std::string counts =
      fmt::format("{} done, {} left{}",
                  format_count(state.done(), "trial"),
                  state.left(),
                  state.given_up == 0 ? ""
                  : state.given_up == state.left()
                      ? " (given up because cells kept failing)"
                      : fmt::format(" ({} given up because cells kept failing)", state.given_up));
  if (state.has_jobs && state.state != RunState::kRunning) {
    return "gathered so far: " + counts;
  }
  switch (state.state) {
    case RunState::kPlanned:
      return fmt::format("planned, not run yet: {}; `{}` starts it", counts, call);
    case RunState::kWaiting:
      return fmt::format("{}; {}", kWaitingForMachine, counts);
    case RunState::kRunning:
      return fmt::format("{}: {}, ETA {}",
                         since.empty() ? "starting" : "running since " + since,
                         counts,
                         state.eta_s ? format_time_left(*state.eta_s) : "unknown");
    case RunState::kInterrupted:
      return fmt::format("interrupted: the run that began {} is gone (killed?); {}; `{}` continues",
                         since,
                         counts,
                         call);
    case RunState::kStopped:
      return fmt::format("stopped ({}): {}; `{}` continues",
                         stop_text(state.session.value().ending),
                         counts,
                         call);
    case RunState::kPartlyDone:
      return fmt::format("{}: {}; `{}` continues", to_word(state.state), counts, call);
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
  return sum_of(trials, is_pending) + given_up;
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
  count_trials(store, state);
  name_trials(store, state);
  state.state =
      run_state(state, holder && holder->waiting == study.name, is_live(store, state, holder));
  if (state.state == RunState::kRunning) {
    state.given_up = 0;  // this run gave them up
    estimate_time_left(store, now, state);
  }
  return state;
}

std::string word_with_jobs(const StudyState& state,
                           const std::vector<StudyJob>& jobs,
                           const std::string& results) {
  std::error_code ignored;
  const bool is_prepared =
      state.state == RunState::kPlanned &&
      !std::filesystem::exists(jobs_folder(results, state.study.name) / kSentFile, ignored);
  for (const JobState word : {JobState::kRunning, JobState::kWaiting, JobState::kUnknown}) {
    const bool may_be = word != JobState::kUnknown || !is_prepared;
    if (may_be && std::ranges::find(jobs, word, &StudyJob::state) != jobs.end()) {
      return to_word(word);
    }
  }
  return to_word(state.state);
}

std::string progress_text(const StudyState& state) {
  const std::int64_t planned = state.done() + state.left();
  std::string text = fmt::format(
      "{}: [{:>{}}/{}]", state.study.name, state.done(), std::to_string(planned).size(), planned);
  return state.current ? text + " " + state.current->name : text;
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
    lines.push_back(fmt::format(
        "  {} {}", state.state == RunState::kRunning ? "now:" : "it was at", state.current->name));
  }
  if (state.failure) {
    lines.push_back(fmt::format("  last failure: {}: {}: {}",
                                state.failure->name,
                                state.failure->state,
                                state.failure->reason));
    for (const std::string& hint : trial_hints(store, state.failure->id)) {
      lines.push_back("    " + hint);
    }
  }
  return lines;
}

}  // namespace scalestudy

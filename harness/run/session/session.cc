#include "harness/run/session/session.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "harness/base/stop.h"
#include "harness/run/session/unstored.h"
#include "harness/store/rows/runs.h"
#include "harness/study/parameters/secret.h"

namespace scalestudy {
namespace {

// A trial in which the harness died so often is not begun again: what killed it, perhaps this
// trial's output, would kill every later run.
constexpr std::int64_t kMostDeaths = 2;

// A program may call a fact of its own as we call ours; ours, which come later, stay.
void keep_last_of_each_name(std::vector<TelemetryRow>& telemetry) {
  std::set<std::string> names;
  std::ranges::reverse(telemetry);
  std::erase_if(telemetry, [&](const TelemetryRow& row) { return !names.insert(row.name).second; });
  std::ranges::reverse(telemetry);
}

}  // namespace

Session::Session(const PreparedStudy& prepared,
                 Store& store,
                 const RunWorld& world,
                 const RunOptions& options,
                 const std::function<void(const Progress&)>& on_progress,
                 const std::atomic<bool>& stop,
                 ExtendPlan extend)
    : prepared_(prepared),
      store_(store),
      world_(world),
      options_(options),
      on_progress_(on_progress),
      stop_(stop),
      extend_(std::move(extend)),
      attempts_(prepared.study),
      surroundings_(prepared.study, world),
      time_limits_(prepared.study.limits) {}

RunSummary Session::run(const SessionRow& session, const std::vector<EnvironmentRow>& environment) {
  session_id_ = store_.begin_session(session, environment);
  started_s_ = world_.clock.monotonic_s();
  last_end_s_ = started_s_;
  suspended_ms_ = suspended_ms;
  SessionEnding ending = SessionEnding::kError;
  try {
    load();
    confirm();
    ending = run_planned();
    while (ending == SessionEnding::kDone && extend_ && extend_()) {
      load_planned();
      confirm();
      ending = run_planned();
    }
  } catch (...) {
    end_by_error();
    throw;
  }
  store_.end_session(session_id_, world_.clock.utc_now(), ending);
  RunSummary summary = summarise(trials_of_plan());
  summary.run_now = run_now_;
  summary.beside_s = eta_.beside_s();
  summary.out_of_time = ending == SessionEnding::kMaxTime;
  summary.interrupted = ending != SessionEnding::kDone && !summary.out_of_time;
  summary.stopped = stopped_;
  for (const auto& [cell, why] : given_up_) {
    if (!is_enough(why.reason)) {
      summary.given_up.push_back(prepared_.cells.at(cell).label + ": " + why.sentence);
    }
  }
  return summary;
}

std::vector<TrialRow> Session::trials_of_plan() const {
  std::vector<TrialRow> trials = store_.trials(prepared_.study_id);
  std::erase_if(trials, [this](const TrialRow& trial) { return !prepared_.runs(trial.plan); });
  return trials;
}

// What earlier sessions left: trials to run, means of those that ran, and how long they took.
void Session::load() {
  std::vector<TrialRow> trials = store_.trials(prepared_.study_id);
  // Logs of other plans, which were merged into the store, are to stay as they are.
  names_plan_ = std::ranges::any_of(
      trials, [this](const TrialRow& trial) { return trial.plan != prepared_.plan; });
  std::erase_if(trials, [this](const TrialRow& trial) { return !prepared_.runs(trial.plan); });
  const std::map<std::int64_t, StepTime> times = store_.step_times(prepared_.study_id);
  for (const TrialRow& trial : each_run_once(trials)) {
    if (!prepared_.asks_for(trial) || !options_.has_block(trial.block)) {
      continue;
    }
    attempts_.add_earlier(trial, prepared_.earlier_sessions.contains(trial.session_id.value_or(0)));
    if (trial.state == TrialState::kPlanned) {
      planned_.push_back(trial);
    } else {
      const auto time = times.find(trial.id);
      keep(trial,
           time == times.end() ? std::nullopt : std::optional(time->second),
           /*is_final=*/!trial.superseded);
      if (!trial.superseded) {
        skip_larger(trial);
      }
    }
  }
  failures_.add_cells(planned_);
  const auto states = summarise(trials).states;
  for (const auto& [state, count] : states) {
    done_before_ += has_ended(state) ? count : 0;
  }
  done_ = done_before_;
}

// Those that the plan was extended by, after all before have ended.
void Session::load_planned() {
  planned_ = trials_of_plan();
  std::erase_if(planned_, [this](const TrialRow& trial) {
    return trial.state != TrialState::kPlanned || !prepared_.asks_for(trial);
  });
  failures_.add_cells(planned_);
}

void Session::confirm() {
  if (!planned_.empty()) {  // more may be left than was known when the study was read
    Study whole = prepared_.study;
    take_secrets(whole);
  }
  if (prepared_.confirm) {
    prepared_.confirm(planned_);
    last_end_s_ = world_.clock.monotonic_s();
    suspended_ms_ = suspended_ms;
  }
}

SessionEnding Session::run_planned() {
  for (next_ = 0; next_ < planned_.size(); ++next_) {
    skip_beyond_precision();
    give_up_decided();
    if (given_up_.contains(planned_[next_].cell_id)) {
      skip(planned_[next_]);
      continue;
    }
    if (stop_.load()) {
      return SessionEnding::kInterrupted;
    }
    if (options_.max_trials && done_ - done_before_ >= *options_.max_trials) {
      return SessionEnding::kMaxTrials;
    }
    if (is_out_of_time(planned_[next_])) {
      return SessionEnding::kMaxTime;
    }
    if (run_trial(planned_[next_]) == Step::kInterrupted || !stopped_.empty()) {
      return stopped_by_;
    }
  }
  return SessionEnding::kDone;
}

// A trial is not begun when it is expected to end after the limit; the first of a session is, or a
// trial longer than the limit would keep every later session from going on.
bool Session::is_out_of_time(const TrialRow& next) const {
  if (!prepared_.study.limits.max_time_s || run_now_ == 0) {
    return false;
  }
  const double spent_s = world_.clock.monotonic_s() - started_s_;
  const double expected_s = eta_.trial_s(next.cell_id).value_or(0.0);
  return spent_s + expected_s >= *prepared_.study.limits.max_time_s;
}

// Runs attempts of one trial until one is final.
Session::Step Session::run_trial(TrialRow trial) {
  if (trial.deaths >= kMostDeaths) {
    give_up(std::move(trial));
    ++done_;
    return Step::kGoOn;
  }
  for (;;) {
    std::optional<std::int64_t> next;
    if (run_one_attempt(trial, next) == Step::kInterrupted) {
      return Step::kInterrupted;
    }
    if (!next) {
      ++done_;
      return Step::kGoOn;
    }
    trial.id = *next;
    ++trial.attempt;
    trial.deaths = 0;
    if (stop_.load() || !stopped_.empty()) {
      return Step::kInterrupted;
    }
  }
}

Session::Step Session::run_one_attempt(const TrialRow& planned, std::optional<std::int64_t>& next) {
  const bool is_abort = prepared_.study.validity.policy == DisturbancePolicy::kAbort;
  const Cell& cell = prepared_.cells.at(planned.cell_id);
  const Surroundings::Before before = surroundings_.before(
      planned, cell, [&](const std::string& why) { report_start(planned, why); }, stop_);
  if (is_abort && !before.busy.empty()) {
    stopped_ = "the machine did not get idle within validity.idle_wait: " + before.busy;
    stopped_by_ = SessionEnding::kDisturbed;
  }
  if (stop_.load() || !stopped_.empty()) {
    return Step::kInterrupted;
  }
  const LaunchCommand& command = prepared_.commands.at(planned.cell_id);
  TrialRow trial = planned;
  trial.session_id = session_id_;
  trial.started_at = world_.clock.utc_now();
  store_.mark_running(trial.id, session_id_, *trial.started_at);
  running_ = trial.id;
  report_start(trial);
  std::optional<TrialRecord> record =
      run_attempt(AttemptTask{.study = prepared_.study,
                              .cell = cell,
                              .command = command,
                              .trial = trial,
                              .results = store_.results_folder(),
                              .time_limit = time_limits_.of(trial.cell_id),
                              .dropped = prepared_.dropped_variables,
                              .confirmation = prepared_.confirmations.at(trial.cell_id),
                              .is_traced = options_.is_traced,
                              .names_plan = names_plan_,
                              .edited_programs = prepared_.edited_programs(command)},
                  world_,
                  stop_);
  if (!record) {
    store_.reset_trial(trial.id);
    return Step::kInterrupted;
  }
  skip_larger(record->trial);
  failures_.add(record->trial);
  const bool retry =
      attempts_.is_tried_again(record->trial, failures_.is_retry_useless(record->trial.cell_id));
  if (is_abort && is_put_aside(record->trial)) {
    stopped_ = record->trial.reason;
    stopped_by_ = SessionEnding::kDisturbed;
  }
  std::ranges::copy(before.telemetry, std::back_inserter(record->telemetry));
  if (!retry) {
    std::ranges::copy(surroundings_.after(record->trial, next_to_run()),
                      std::back_inserter(record->telemetry));
  }
  keep_last_of_each_name(record->telemetry);
  next = store_finished(store_, *record, retry);
  running_.reset();
  const std::optional<StepTime> time = store_.step_time(record->trial.id);
  const double now_s = world_.clock.monotonic_s();
  const std::int64_t now_suspended_ms = suspended_ms.load();
  const double suspended_s = 1e-3 * static_cast<double>(now_suspended_ms - suspended_ms_);
  eta_.add_beside(
      std::max(0.0, now_s - last_end_s_ - suspended_s - record->trial.wall_s.value_or(0.0)));
  last_end_s_ = now_s;
  suspended_ms_ = now_suspended_ms;
  ++run_now_;
  keep(record->trial, time, /*is_final=*/!retry);
  report_end(*record, time, /*is_final=*/!retry);
  explain_failures(record->trial);
  return Step::kGoOn;
}

const TrialRow* Session::next_to_run() const {
  for (std::size_t index = next_ + 1; index < planned_.size() && stopped_.empty(); ++index) {
    if (!given_up_.contains(planned_[index].cell_id)) {
      return &planned_[index];
    }
  }
  return nullptr;
}

void Session::explain_failures(const TrialRow& last) {
  if (next_ + 1 < planned_.size() && failures_.is_hopeless()) {
    stopped_ = fmt::format(
        "all {} attempts ended {}: {}", failures_.attempts(), to_word(last.state), last.reason);
    stopped_by_ = SessionEnding::kFailures;
  } else if (failures_.is_given_up(last.cell_id)) {
    given_up_.emplace(last.cell_id,
                      GivenUp{SkipReason::kFailures,
                              fmt::format("{} attempts in a row ended {}: {}",
                                          kMostAlike,
                                          to_word(last.state),
                                          last.reason)});
  }
}

// Skipped trials are planned again by the next run.
void Session::skip(TrialRow trial) {
  TrialRecord record;
  trial.state = TrialState::kSkipped;
  const GivenUp& why = given_up_.at(trial.cell_id);
  trial.reason = why.sentence;
  trial.skip_reason = why.reason;
  record.trial = std::move(trial);
  store_.finish_trial(record, /*retry=*/false);
}

void Session::keep(const TrialRow& trial, const std::optional<StepTime>& time, bool is_final) {
  // What another command took, or other steps, says nothing of these.
  const bool is_alike = !prepared_.earlier_sessions.contains(trial.session_id.value_or(0));
  if (trial.wall_s && is_alike) {
    eta_.add_attempt(trial.cell_id, *trial.wall_s, trial.state == TrialState::kOk, is_final);
  }
  if (trial.state == TrialState::kOk) {
    if (is_alike) {
      time_limits_.add(trial.cell_id, trial.wall_s.value_or(0.0));
    }
    if (time) {
      means_[trial.cell_id][trial.block] = {.session = trial.session_id,
                                            .step_time_s = time->mean_s};
    }
  }
}

}  // namespace scalestudy

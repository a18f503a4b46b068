// What a session tells of its trials: progress, and a summary in the end.
#include <algorithm>
#include <map>
#include <set>

#include "harness/run/attempt/beside.h"
#include "harness/run/session/session.h"
#include "harness/store/excluded_trials.h"

namespace scalestudy {

Progress Session::progress(const TrialRow& trial) const {
  Progress progress;
  progress.done = done_;
  progress.planned = done_ + static_cast<std::int64_t>(planned_.size() - next_);
  progress.cell_label = prepared_.cells.at(trial.cell_id).label;
  progress.cell_block = trial.block;
  progress.trial_id = trial.id;
  if (run_now_ > 0) {
    std::map<std::int64_t, std::int64_t> left;
    for (std::size_t index = next_; index < planned_.size(); ++index) {
      left[planned_[index].cell_id] += given_up_.contains(planned_[index].cell_id) ? 0 : 1;
    }
    progress.eta_s = eta_.total_s(left);
  }
  return progress;
}

void Session::report_start(const TrialRow& trial, const std::string& waiting) const {
  Progress start = progress(trial);
  start.waiting = waiting;
  on_progress_(start);
}

void Session::report_end(const TrialRecord& record,
                         const std::optional<StepTime>& time,
                         bool is_final) const {
  Progress ended = progress(record.trial);
  if (is_final) {  // it is not to come any more
    ended.done = done_ + 1;
    if (ended.eta_s) {
      ended.eta_s = std::max(0.0, *ended.eta_s - eta_.trial_s(record.trial.cell_id).value_or(0.0));
    }
  }
  ended.state = record.trial.state;
  ended.reason = record.trial.reason;
  ended.disturbance = record.trial.disturbance;
  for (const LogRow& log : record.logs) {
    if (log.stream == LogStream::kEvent && is_beside_note(log.text)) {
      ended.beside += (ended.beside.empty() ? "" : "; ") + log.text;
    }
  }
  if (time && !times_whole_commands(prepared_.study.extract)) {
    ended.step_time_s = time->mean_s;
  }
  ended.trial_wall_s = record.trial.wall_s.value_or(0.0);
  if (const auto means = means_.find(record.trial.cell_id); means != means_.end()) {
    ended.relative_half_width = world_.precision(mean_values(means->second)).relative_half_width;
  }
  on_progress_(ended);
}

RunSummary Session::summarise(const std::vector<TrialRow>& trials) const {
  RunSummary summary;
  const std::set<std::int64_t> by_hand = excluded_by_hand(store_, prepared_.study_id);
  for (const TrialRow& trial : trials) {
    const bool is_excluded =
        prepared_.excluded.contains(trial.cell_id) && trial.block < prepared_.study.trials.count;
    if (!trial.superseded && (is_excluded || prepared_.asks_for(trial))) {
      ++summary.states[trial.state];
      summary.excluded_by_hand += by_hand.contains(trial.id) ? 1 : 0;
    }
  }
  return summary;
}

}  // namespace scalestudy

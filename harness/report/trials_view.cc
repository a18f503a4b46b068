// What became of every planned trial, and which trials and steps the outlier rule marks.
#include <algorithm>
#include <array>
#include <map>

#include "harness/report/build_view.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostRows = 20;

constexpr std::array<TrialState, 10> kStates = {TrialState::kOk,
                                                TrialState::kFailed,
                                                TrialState::kTimeout,
                                                TrialState::kOom,
                                                TrialState::kInvalid,
                                                TrialState::kUnsupported,
                                                TrialState::kSkipped,
                                                TrialState::kRunning,
                                                TrialState::kPlanned,
                                                TrialState::kExcluded};

// Keeps the first rows; "<name>_more" says how many were left out.
void set_short_list(View& view, const std::string& name, View::List rows) {
  const std::size_t left_out = rows.size() > kMostRows ? rows.size() - kMostRows : 0;
  rows.resize(rows.size() - left_out);
  view.set_list(name, std::move(rows));
  view.set_text(name + "_more", left_out == 0 ? "" : std::to_string(left_out));
}

// Of a cell that ran and is no longer in the study, or was taken out by a rule later.
bool is_aside(const ReportInput& input, const TrialRow& trial) {
  return input.cell(trial.cell_id).excluded_reason && trial.state != TrialState::kExcluded;
}

void add_states(View& view, const ReportInput& input) {
  std::map<TrialState, std::int64_t> counts;
  std::int64_t planned = 0;
  std::int64_t aside = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (is_aside(input, *trial)) {
      aside += trial->wall_s ? 1 : 0;
    } else {
      ++counts[trial->state];
      ++planned;
    }
  }
  View::List rows;
  for (const TrialState state : kStates) {
    if (counts[state] > 0) {
      View row;
      row.set_text("state", format_trial_state(state));
      row.set_text("count", std::to_string(counts[state]));
      rows.push_back(std::move(row));
    }
  }
  view.set_list("states", std::move(rows));
  view.set_text("trials_planned", std::to_string(planned));
  view.set_text("trials_aside", aside == 0 ? "" : std::to_string(aside));
  view.set_flag("is_complete", counts[TrialState::kPlanned] + counts[TrialState::kRunning] == 0);
}

View trial_row(const ReportInput& input, const TrialRow& trial) {
  View row;
  row.set_text("trial", std::to_string(trial.id));
  row.set_text("cell", input.cell(trial.cell_id).label);
  row.set_text("block", std::to_string(trial.block));
  row.set_text("attempt", std::to_string(trial.attempt));
  row.set_text("state", format_trial_state(trial.state));
  row.set_text("reason", trial.reason.empty() ? "no reason stored" : trial.reason);
  return row;
}

// Attempts that ran, or were refused, and gave no result; retried ones too.
bool is_lost(const TrialRow& trial) {
  return trial.state != TrialState::kOk && trial.state != TrialState::kPlanned &&
         trial.state != TrialState::kRunning && trial.state != TrialState::kExcluded;
}

void add_lost_trials(View& view, const ReportInput& input) {
  View::List rows;
  std::int64_t retries = 0;
  for (const TrialRow& trial : input.trials) {
    if (is_aside(input, trial)) {
      continue;
    }
    retries += trial.attempt > 1 ? 1 : 0;
    if (is_lost(trial)) {
      rows.push_back(trial_row(input, trial));
    }
  }
  set_short_list(view, "lost_trials", std::move(rows));
  view.set_text("retries", retries == 0 ? "" : std::to_string(retries));
}

void add_excluded_cells(View& view, const ReportInput& input) {
  View::List rows;
  for (const CellRow& cell : input.cells) {
    if (cell.excluded_reason) {
      View row;
      row.set_text("cell", cell.label);
      row.set_text("reason", *cell.excluded_reason);
      rows.push_back(std::move(row));
    }
  }
  set_short_list(view, "excluded_cells", std::move(rows));
}

const TrialRow* find_trial(const ReportInput& input, std::int64_t id) {
  const auto found = std::find_if(
      input.trials.begin(), input.trials.end(), [&](const TrialRow& row) { return row.id == id; });
  return found == input.trials.end() ? nullptr : &*found;
}

void add_flagged_trials(View& view, const ReportInput& input) {
  View::List trials;
  for (const FlagRow& flag : input.results.flags) {
    if (flag.level == "trial") {
      const TrialRow* trial = find_trial(input, flag.trial_id);
      View row;
      row.set_text("trial", std::to_string(flag.trial_id));
      row.set_text("cell", trial == nullptr ? "" : input.cell(trial->cell_id).label);
      row.set_text("rule", flag.rule);
      row.set_text("score", flag.score ? format_number(*flag.score) : "–");
      trials.push_back(std::move(row));
    }
  }
  set_short_list(view, "flagged_trials", std::move(trials));
}

// Tallies of one cell's trials that count.
struct StepTally {
  std::int64_t trials = 0;
  std::int64_t flagged_trials = 0;  // with at least one flagged step
  std::int64_t steps = 0;
  std::int64_t flagged_steps = 0;
  double time_s = 0.0;
  double flagged_time_s = 0.0;
};

StepTally tally_steps(const ReportInput& input,
                      const CellRow& cell,
                      const std::map<std::int64_t, const FlagRow*>& flags) {
  StepTally tally;
  for (const std::int64_t id : input.used_trials(cell.id, false)) {
    const auto time = input.step_times.find(id);
    if (time == input.step_times.end()) {
      continue;
    }
    const double time_s = time->second.mean_s * static_cast<double>(time->second.steps);
    ++tally.trials;
    tally.steps += time->second.steps;
    tally.time_s += time_s;
    if (const auto flag = flags.find(id); flag != flags.end()) {
      ++tally.flagged_trials;
      tally.flagged_steps += flag->second->count;
      tally.flagged_time_s += flag->second->share * time_s;
    }
  }
  return tally;
}

void add_flagged_steps(View& view, const ReportInput& input) {
  std::map<std::int64_t, const FlagRow*> flags;
  for (const FlagRow& flag : input.results.flags) {
    if (flag.level == "step") {
      flags[flag.trial_id] = &flag;
    }
  }
  View::List rows;
  for (const CellRow& cell : input.cells) {
    const StepTally tally =
        flags.empty() || cell.excluded_reason ? StepTally{} : tally_steps(input, cell, flags);
    if (tally.flagged_steps > 0) {
      View row;
      row.set_text("cell", cell.label);
      row.set_text("trials", std::to_string(tally.flagged_trials));
      row.set_text("of_trials", std::to_string(tally.trials));
      row.set_text("steps", std::to_string(tally.flagged_steps));
      row.set_text("of_steps", std::to_string(tally.steps));
      row.set_text("share", format_decimals(100.0 * tally.flagged_time_s / tally.time_s, 1));
      rows.push_back(std::move(row));
    }
  }
  view.set_list("flagged_steps", std::move(rows));
}

// Both estimates, for cells in which leaving flagged trials out changes anything.
void add_screened(View& view, const ReportInput& input) {
  View::List rows;
  for (const EstimateRow& screened : input.results.estimates) {
    if (screened.variant != "screened" || screened.metric != "step_time_s" ||
        screened.statistic != "mean" || screened.n_excluded == 0) {
      continue;
    }
    const EstimateRow* all = input.estimate(screened.cell_id, "step_time_s");
    const Measure with = all == nullptr ? Measure{} : measure_of(*all);
    const Scale scale = scale_for("s", with.value.value_or(0.0));
    View row;
    row.set_text("cell", input.cell(screened.cell_id).label);
    row.set_text("time_unit", scale.unit);
    row.set_text("n", std::to_string(all == nullptr ? 0 : all->n));
    row.set_text("step_time", format_half_width(with, scale.factor));
    row.set_text("n_screened", std::to_string(screened.n));
    row.set_text("step_time_screened",
                 screened.value ? format_number(*screened.value * scale.factor) : "–");
    rows.push_back(std::move(row));
  }
  view.set_list("screened", std::move(rows));
}

}  // namespace

View trials_view(const ReportInput& input) {
  View view;
  add_states(view, input);
  add_lost_trials(view, input);
  add_excluded_cells(view, input);
  add_flagged_trials(view, input);
  add_flagged_steps(view, input);
  add_screened(view, input);
  return view;
}

}  // namespace scalestudy::report

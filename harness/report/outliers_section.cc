// Which trials and steps the outlier rule marks, and what they change.
#include <algorithm>
#include <map>

#include "harness/base/measure.h"
#include "harness/base/number.h"
#include "harness/report/sections.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostTrials = 20;

std::vector<FlagRow> flags_of(const ReportInput& input, const std::string& level) {
  std::vector<FlagRow> flags = input.results.flags;
  std::erase_if(flags, [&](const FlagRow& flag) { return flag.level != level; });
  return flags;
}

std::string cell_of_trial(const ReportInput& input, std::int64_t id) {
  const TrialRow* trial = input.trial(id);
  return trial == nullptr ? "" : input.cell(trial->cell_id).label;
}

std::vector<Column<FlagRow>> flagged_trial_columns(const ReportInput& input) {
  return {
      {{"trial", "Flagged trial", "id"},
       [](const FlagRow& flag) { return std::to_string(flag.trial_id); }},
      {{"cell", "Cell", "cell", Align::kText},
       [&input](const FlagRow& flag) { return cell_of_trial(input, flag.trial_id); }},
      {{"rule", "Rule", "rule", Align::kText}, [](const FlagRow& flag) { return flag.rule; }},
      {{"score", "Score", "score"},
       [](const FlagRow& flag) { return flag.score ? format_number(*flag.score) : ""; }},
  };
}

// Of one cell's trials that count.
struct StepTally {
  const CellRow* cell = nullptr;
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
  tally.cell = &cell;
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

// Of the cells with flagged steps.
std::vector<StepTally> flagged_tallies(const ReportInput& input) {
  const std::vector<FlagRow> flags = flags_of(input, "step");
  std::map<std::int64_t, const FlagRow*> by_trial;
  for (const FlagRow& flag : flags) {
    by_trial[flag.trial_id] = &flag;
  }
  std::vector<StepTally> tallies;
  for (const CellRow& cell : input.cells) {
    if (flags.empty() || cell.excluded_reason) {
      continue;
    }
    if (const StepTally tally = tally_steps(input, cell, by_trial); tally.flagged_steps > 0) {
      tallies.push_back(tally);
    }
  }
  return tallies;
}

const std::vector<Column<StepTally>>& flagged_step_columns() {
  static const std::vector<Column<StepTally>> kColumns = {
      {{"cell", "Cell", "cell", Align::kText},
       [](const StepTally& tally) { return tally.cell->label; }},
      {{"trials", "Trials with flagged steps", "trials with marked steps"},
       [](const StepTally& tally) { return std::to_string(tally.flagged_trials); }},
      {{"of_trials", "of trials", "trials that count"},
       [](const StepTally& tally) { return std::to_string(tally.trials); }},
      {{"steps", "Flagged steps", "marked steps"},
       [](const StepTally& tally) { return std::to_string(tally.flagged_steps); }},
      {{"of_steps", "of measured", "measured steps"},
       [](const StepTally& tally) { return std::to_string(tally.steps); }},
      {{"share", "Their share of the time (%)", "their share of the measured time, %"},
       [](const StepTally& tally) {
         return format_decimals(100.0 * tally.flagged_time_s / tally.time_s, 1);
       }},
  };
  return kColumns;
}

// A cell's step time of all trials, and without the flagged ones.
struct Screened {
  const CellRow* cell = nullptr;
  const EstimateRow* all = nullptr;  // may be absent
  const EstimateRow* without = nullptr;

  Scale scale() const { return scale_for("s", measure_of(all).value.value_or(0.0)); }
};

// Cells in which leaving flagged trials out changes anything.
std::vector<Screened> screened_cells(const ReportInput& input) {
  std::vector<Screened> rows;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.variant == "screened" && row.metric == "step_time_s" && row.statistic == "mean" &&
        row.n_excluded > 0) {
      rows.push_back({&input.cell(row.cell_id), input.estimate(row.cell_id, "step_time_s"), &row});
    }
  }
  return rows;
}

const std::vector<Column<Screened>>& screened_columns() {
  static const std::vector<Column<Screened>> kColumns = {
      {{"cell", "Cell", "cell", Align::kText}, [](const Screened& row) { return row.cell->label; }},
      {{"n", "n (all)", "all trials"},
       [](const Screened& row) { return std::to_string(row.all == nullptr ? 0 : row.all->n); }},
      {{"step_time", "All trials", "mean step time ± half-width of all trials"},
       [](const Screened& row) {
         return format_half_width(measure_of(row.all), row.scale().factor);
       }},
      {{"n_screened", "n (without)", "trials left"},
       [](const Screened& row) { return std::to_string(row.without->n); }},
      {{"step_time_screened", "Without flagged trials, no interval", "without the flagged ones"},
       [](const Screened& row) {
         return row.without->value ? format_number(*row.without->value * row.scale().factor) : "";
       }},
      {{"time_unit", "Unit", "unit of both times", Align::kText},
       [](const Screened& row) { return row.scale().unit; }},
  };
  return kColumns;
}

void fill(View& view, const ReportInput& input, const FigurePaths& /*figures*/) {
  view.set_list("flagged_trials",
                one_table(flagged_trial_columns(input), flags_of(input, "trial"), kMostTrials));
  view.set_list("flagged_steps", one_table(flagged_step_columns(), flagged_tallies(input)));
  view.set_list("screened", one_table(screened_columns(), screened_cells(input)));
}

}  // namespace

Section outliers_section() {
  std::vector<TagInfo> tags = table_tags("flagged_trials",
                                         "the first trials that the outlier rule marks",
                                         heads_of(flagged_trial_columns(empty_input())));
  for (const auto& more : {table_tags("flagged_steps",
                                      "cells with steps that the rule marks inside their trial",
                                      heads_of(flagged_step_columns())),
                           table_tags("screened",
                                      "cells whose estimate changes without flagged trials",
                                      heads_of(screened_columns()))}) {
    tags.insert(tags.end(), more.begin(), more.end());
  }
  return {tags, fill};
}

}  // namespace scalestudy::report

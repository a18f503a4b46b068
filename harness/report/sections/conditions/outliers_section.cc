// Which trials and steps the outlier rule marks, which were disturbed, and what they change.
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostTrials = 20;

std::vector<FlagRow> flagged_trials(const ReportInput& input) {
  std::vector<FlagRow> flags = input.results.flags;
  std::erase_if(flags, [](const FlagRow& flag) { return flag.level != FlagLevel::kTrial; });
  return flags;
}

std::string cell_of_trial(const ReportInput& input, std::int64_t id) {
  const TrialRow* trial = input.trial(id);
  return trial == nullptr ? "" : cell_name(input, input.cell(trial->cell_id));
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

std::vector<Column<FlaggedStepsRow>> flagged_step_columns(const ReportInput& input) {
  return {
      {{"cell", "Cell", "cell", Align::kText},
       [&input](const FlaggedStepsRow& row) { return cell_name(input, input.cell(row.cell_id)); }},
      {{"trials", "Trials with flagged steps", "trials with marked steps"},
       [](const FlaggedStepsRow& row) { return std::to_string(row.flagged_trials); }},
      {{"of_trials", "of trials", "trials that count"},
       [](const FlaggedStepsRow& row) { return std::to_string(row.trials); }},
      {{"steps", "Flagged steps", "marked steps"},
       [](const FlaggedStepsRow& row) { return std::to_string(row.flagged_steps); }},
      {{"of_steps", "of measured", "measured steps"},
       [](const FlaggedStepsRow& row) { return std::to_string(row.steps); }},
      {{"share", "Their share of the time (%)", "their share of the measured time, %"},
       [](const FlaggedStepsRow& row) { return format_decimals(100.0 * row.share, 1); }},
  };
}

// A cell's step time of all trials, and without the flagged ones.
struct Unflagged {
  const CellRow* cell = nullptr;
  const EstimateRow* all = nullptr;
  const EstimateRow* without = nullptr;

  Scale scale() const { return scale_for("s", measure_of(all).value.value_or(0.0)); }
};

// Cells in which leaving flagged trials out changes anything.
std::vector<Unflagged> unflagged_cells(const ReportInput& input) {
  std::vector<Unflagged> rows;
  for (const EstimateRow& row : input.results.estimates) {
    const EstimateRow* all = input.estimate(row.cell_id, names::kStepTime);
    if (row.variant == Variant::kUnflagged && row.metric == names::kStepTime &&
        row.statistic == Statistic::kMean && all != nullptr && row.n < all->n) {
      rows.push_back({&input.cell(row.cell_id), all, &row});
    }
  }
  return rows;
}

std::vector<Column<Unflagged>> unflagged_columns(const ReportInput& input) {
  return {
      {{"cell", "Cell", "cell", Align::kText},
       [&input](const Unflagged& row) { return cell_name(input, *row.cell); }},
      {{"n", "n (all)", "all trials"},
       [](const Unflagged& row) { return std::to_string(row.all->n); }},
      {{"step_time", "All trials", "mean step time ± half-width of all trials"},
       [](const Unflagged& row) {
         return format_half_width(measure_of(row.all), row.scale().factor);
       }},
      {{"n_unflagged", "n (without)", "trials left"},
       [](const Unflagged& row) { return std::to_string(row.without->n); }},
      {{"step_time_unflagged", "Without flagged trials, no interval", "without the flagged ones"},
       [](const Unflagged& row) {  // with the digits of the time beside it
         Measure time = measure_of(row.all);
         time.value = row.without->value;
         return format_value(time, row.scale().factor);
       }},
      {{"time_unit", "Unit", "unit of both times", Align::kText},
       [](const Unflagged& row) { return row.scale().unit; }},
  };
}

// A cell's step time as if no disturbed trial had been put aside, and without any.
struct Disturbed {
  const CellRow* cell = nullptr;
  const EstimateRow* with = nullptr;
  const EstimateRow* without = nullptr;  // may be absent

  Scale scale() const { return scale_for("s", measure_of(with).value.value_or(0.0)); }
};

std::vector<Disturbed> disturbed_cells(const ReportInput& input) {
  std::vector<Disturbed> rows;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.variant == Variant::kWithDisturbed && row.metric == names::kStepTime &&
        row.statistic == Statistic::kMean) {
      rows.push_back(
          {&input.cell(row.cell_id),
           &row,
           input.estimate(row.cell_id, names::kStepTime, Statistic::kMean, Variant::kUndisturbed)});
    }
  }
  return rows;
}

std::vector<Column<Disturbed>> disturbed_columns(const ReportInput& input) {
  const auto count = [](const EstimateRow* row) {
    return std::to_string(row == nullptr ? 0 : row->n);
  };
  return {
      {{"cell", "Cell", "cell", Align::kText},
       [&input](const Disturbed& row) { return cell_name(input, *row.cell); }},
      {{"n_with", "n (with)", "trials, disturbed ones too"},
       [count](const Disturbed& row) { return count(row.with); }},
      {{"step_time_with", "With disturbed trials", "mean step time ± half-width with them"},
       [](const Disturbed& row) {
         return format_half_width(measure_of(row.with), row.scale().factor);
       }},
      {{"n_without", "n (without)", "trials that nothing disturbed"},
       [count](const Disturbed& row) { return count(row.without); }},
      {{"step_time_without", "Without", "mean step time ± half-width without them"},
       [](const Disturbed& row) {
         return format_half_width(measure_of(row.without), row.scale().factor);
       }},
      {{"time_unit", "Unit", "unit of both times", Align::kText},
       [](const Disturbed& row) { return row.scale().unit; }},
  };
}

void fill_outliers(View& view, const ReportInput& input, const Figures& /*figures*/) {
  view.set_list("flagged_trials",
                one_table(flagged_trial_columns(input), flagged_trials(input), kMostTrials));
  view.set_list("flagged_steps",
                one_table(flagged_step_columns(input), input.results.flagged_steps));
  view.set_list("disturbed", one_table(disturbed_columns(input), disturbed_cells(input)));
  view.set_list("unflagged", one_table(unflagged_columns(input), unflagged_cells(input)));
}

}  // namespace

Section outliers_section() {
  return {table_tags("flagged_trials",
                     "the first trials that the outlier rule marks",
                     heads_of(flagged_trial_columns(empty_input()))) +
              table_tags("flagged_steps",
                         "cells with steps that the rule marks inside their trial",
                         heads_of(flagged_step_columns(empty_input()))) +
              table_tags("disturbed",
                         "cells with trials that heat or other processes disturbed",
                         heads_of(disturbed_columns(empty_input()))) +
              table_tags("unflagged",
                         "cells whose estimate changes without flagged trials",
                         heads_of(unflagged_columns(empty_input()))),
          fill_outliers};
}

}  // namespace scalestudy::report

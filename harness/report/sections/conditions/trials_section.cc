// What became of every planned trial.
#include <algorithm>
#include <array>
#include <map>

#include "harness/report/input/cell_names.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostLost = 20;

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

void add_states(View& view, const ReportInput& input) {
  std::map<TrialState, std::int64_t> counts;
  std::int64_t planned = 0;
  std::int64_t aside = 0;
  bool is_complete = true;
  for (const TrialRow* trial : input.last_attempts()) {
    if (input.ran_in_excluded_cell(*trial)) {
      aside += trial->wall_s ? 1 : 0;
    } else {
      ++counts[trial->state];
      ++planned;
      is_complete = is_complete && !is_left_to_run(trial->state, trial->skip_reason);
    }
  }
  View::List rows;
  for (const TrialState state : kStates) {
    if (counts[state] > 0) {
      View row;
      // The store of a run that was killed is that of one that goes on.
      row.set_text("state",
                   state == TrialState::kRunning ? "running or interrupted" : to_word(state));
      row.set_text("count", std::to_string(counts[state]));
      rows.push_back(std::move(row));
    }
  }
  view.set_list("states", std::move(rows));
  view.set_text("trials_planned", std::to_string(planned));
  view.set_text("trials_aside", aside == 0 ? "" : std::to_string(aside));
  view.set_flag("is_complete", is_complete);
}

// Attempts that ran, or were refused, and gave no result; retried ones too.
bool is_lost(const TrialRow& trial) {
  return trial.state != TrialState::kOk && !is_pending(trial.state) &&
         trial.state != TrialState::kExcluded && trial.skip_reason != SkipReason::kPruned &&
         trial.skip_reason != SkipReason::kNotInStudy;
}

std::vector<Column<TrialRow>> lost_columns(const ReportInput& input) {
  using enum Align;
  using Row = TrialRow;
  return {
      {{"trial", "Trial", "id"}, [](const Row& trial) { return std::to_string(trial.id); }},
      {{"cell", "Cell", "cell", kText},
       [&input](const Row& trial) { return cell_name(input, input.cell(trial.cell_id)); }},
      {{"block", "Block", "block"},
       [](const Row& trial) {
         const bool is_declared = trial.provenance == TrialProvenance::kImported;
         return trial.has_block ? std::to_string(trial.block + (is_declared ? 0 : 1)) : "";
       }},
      {{"attempt", "Attempt", "attempt"},
       [](const Row& trial) { return std::to_string(trial.attempt); }},
      {{"state", "State", "state", kText}, [](const Row& trial) { return to_word(trial.state); }},
      {{"reason", "Reason", "reason", kText},
       [](const Row& trial) { return trial.reason.empty() ? "no reason stored" : trial.reason; }},
  };
}

std::vector<Column<CellRow>> excluded_columns(const ReportInput& input) {
  return {
      {{"cell", "Cell", "cell", Align::kText},
       [&input](const CellRow& cell) { return cell_name(input, cell); }},
      {{"reason", "Reason", "rule", Align::kText},
       [](const CellRow& cell) { return cell.excluded_reason.value_or(""); }},
  };
}

std::vector<Column<AnnotationRow>> annotation_columns(const ReportInput& input) {
  using enum Align;
  using Row = AnnotationRow;
  return {
      {{"trial", "Trial", "id"}, [](const Row& row) { return std::to_string(row.trial_id); }},
      {{"cell", "Cell", "cell", kText},
       [&input](const Row& row) {
         const TrialRow* trial = input.trial(row.trial_id);
         return trial == nullptr ? "" : cell_name(input, input.cell(trial->cell_id));
       }},
      {{"kind", "Kind", "note, exclude, include", kText},
       [](const Row& row) { return to_word(row.kind); }},
      {{"text", "Remark", "as it was given", kText}, [](const Row& row) { return row.text; }},
  };
}

void add_lost_trials(View& view, const ReportInput& input) {
  std::vector<TrialRow> lost;
  std::int64_t retries = 0;
  for (const TrialRow& trial : input.trials) {
    if (input.ran_in_excluded_cell(trial)) {
      continue;
    }
    retries += trial.attempt > 1 ? 1 : 0;
    if (is_lost(trial)) {
      lost.push_back(trial);
    }
  }
  view.set_list("lost_trials", one_table(lost_columns(input), lost, kMostLost));
  view.set_list("annotations",
                one_table(annotation_columns(input), input.annotations, input.annotations.size()));
  view.set_text("retries", retries == 0 ? "" : std::to_string(retries));
}

void add_excluded_cells(View& view, const ReportInput& input) {
  std::vector<CellRow> excluded = input.cells;
  std::erase_if(excluded, [](const CellRow& cell) { return !cell.excluded_reason; });
  view.set_list("excluded_cells", one_table(excluded_columns(input), excluded, kMostLost));
}

void fill_trials(View& view, const ReportInput& input, const Figures& figures) {
  view.set_list("trial_figures", figure_list(figures, "trials"));
  add_states(view, input);
  add_lost_trials(view, input);
  add_excluded_cells(view, input);
}

}  // namespace

Section trials_section() {
  using enum TagKind;
  const Tags tags = {
      {"trials_planned", kText, "trials of the plan"},
      {"trials_aside", kText, "trials that ran of cells that are no longer in the study"},
      {"is_complete", kFlag, "none is still to run"},
      {"retries", kText, "attempts beyond a trial's first"},
      {"states", kList, "states of the planned trials; they sum to trials_planned"},
      {"states.state", kText, "ok, failed, timeout ..."},
      {"states.count", kText, "trials"},
      {"trial_figures", kList, "every trial as a dot, a figure a group"},
      {"trial_figures.path", kText, "path"},
      {"trial_figures.alt", kText, "what it shows, in words"},
  };
  return {tags +
              table_tags("lost_trials",
                         "the first attempts without a result",
                         heads_of(lost_columns(empty_input()))) +
              table_tags("annotations",
                         "what people said of trials",
                         heads_of(annotation_columns(empty_input()))) +
              table_tags("excluded_cells",
                         "the first cells that a rule, or a change of the study, took out",
                         heads_of(excluded_columns(empty_input()))),
          fill_trials};
}

}  // namespace scalestudy::report

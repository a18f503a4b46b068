// Everything of the store that a report is made of, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy::report {

struct SessionInput {
  SessionRow row;
  std::vector<EnvironmentRow> environment;
};

// Where rows stand in their vectors, by what they are looked up by.
struct ReportIndex {
  std::map<std::int64_t, std::size_t> cells;
  std::map<std::int64_t, std::size_t> trials;
  // cell, metric, statistic, variant
  std::map<std::tuple<std::int64_t, std::string, Statistic, Variant>, std::size_t> estimates;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> comparisons;  // cell, quantity
  std::map<std::int64_t, std::vector<std::int64_t>> used_trials;            // ids by cell
  std::set<std::int64_t> flagged_trials;
  std::map<std::int64_t, std::size_t> counterparts;  // by figure
  bool nodes_tell_apart = false;                     // as many devices on one node and on several
  std::optional<std::size_t> common_base;            // of common_base()
};

struct ReportInput {
  StudyRow study;
  Study declared;
  std::vector<CellRow> cells;
  std::vector<TrialRow> trials;
  std::vector<AnnotationRow> annotations;
  std::vector<SessionInput> sessions;
  std::map<std::int64_t, StepTime> step_times;  // by trial id
  std::set<std::int64_t> software_trials;       // ids: 16 bits were converted in software
  Results results;
  std::vector<PublicationRow> publications;  // shown beside the results, never mixed with them

  ReportIndex index;  // of the rows above, by make_index

  // After rows were added or taken out.
  void make_index();

  const CellRow& cell(std::int64_t id) const;  // Error{kStore} when there is none
  const TrialRow* trial(std::int64_t id) const;

  // The one that all measured cells are compared with, where these differ from it in three
  // parameters or more and in neither devices, nodes nor batch: a cell is then called by what it
  // has otherwise. nullptr where there is none.
  const CellRow* common_base() const;

  // nullptr when analysis stored none.
  const EstimateRow* estimate(std::int64_t cell_id,
                              const std::string& metric,
                              Statistic statistic = Statistic::kMean,
                              Variant variant = Variant::kAll) const;
  const ComparisonRow* comparison(std::int64_t cell_id, const std::string& quantity) const;
  const CounterpartRow* counterpart(std::int64_t figure_id) const;

  // Whether the cell's times say how fast its ranks can be, as analysis has it: they shared no
  // cores or devices and converted no types in software. A cell of which not is called best at
  // nothing that rests on time.
  bool has_claim(const CellRow& cell) const;

  // The last attempt of every (cell, block): what the plan's trials came to, in the store's order.
  std::vector<const TrialRow*> last_attempts() const;

  // Of a cell that ran and is no longer in the study, or was taken out by a rule later: it counts
  // for nothing.
  bool ran_in_excluded_cell(const TrialRow& trial) const;

  // Ids of this cell's trials that count: ok, last attempt, of no race. An estimate says itself
  // which of them it rests on.
  TrialIds used_trials(std::int64_t cell_id) const;

  // Session, or nothing for a trial that never ran.
  const SessionInput* session(std::int64_t id) const;
};

// Whether its numbers are emulated, not measured: ranks slept in place of computing, as the study
// says or analysis found in its trials.
bool is_emulated(const ReportInput& input);

// What its numbers are: "measured" or "emulated".
std::string measured_word(const ReportInput& input);

// Whether cells of several devices could do without communication, as the control noop does: stages
// of a pipeline cannot.
bool can_run_without_communication(const ReportInput& input);

// Throws Error{kStore} when there is no such study or its stored text does not parse.
ReportInput read_input(const Store& store, std::int64_t study_id);

}  // namespace scalestudy::report
